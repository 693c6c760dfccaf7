#include "block/experts.h"

namespace moesim {
namespace {

struct Expert {
  std::string_view label;
  std::int64_t in, out;  // on this rank
};
Expert fc1(const ExpertShape& s, const MoeMlp& u) { return {"expert fc1", s.width, (u.gated ? 2 : 1) * s.ffn}; }
Expert fc2(const ExpertShape& s, const MoeMlp&) { return {"expert fc2", s.ffn, s.width}; }

void grouped(NodeBuilder& b, const ExpertShape& s, const Expert& e, Pass pass, std::uint32_t kernels) {
  ExpertKernel k;
  k.op.kind = OpKind::grouped_gemm;
  k.op.pass = pass;
  k.op.dtype = b.settings().precision.compute;
  k.op.label = e.label;
  k.op.m = 1;
  k.op.n = pass == Pass::dgrad ? e.in : e.out;
  k.op.k = pass == Pass::dgrad ? e.out : e.in;
  k.op.groups = s.local_experts;
  k.op.kernels = kernels;
  k.gathered = s.etp;
  b.add(k);
}

/// One quantisation launch per local expert and GEMM.
void grouped_cast(NodeBuilder& b, const ExpertShape& s, const Expert& e, Pass pass, std::int64_t elements) {
  if (narrow(b.settings().precision.compute))
    b.add(per_copy(OpKind::cast, e.label, pass, kCastBytes * elements, static_cast<std::uint32_t>(s.local_experts), s.etp));
}

void grouped_forward(NodeBuilder& b, const ExpertShape& s, const Expert& e) {
  grouped_cast(b, s, e, Pass::forward, e.in);
  grouped(b, s, e, Pass::forward, 2);
}

void grouped_backward(NodeBuilder& b, const ExpertShape& s, const Expert& e) {
  grouped_cast(b, s, e, Pass::dgrad, e.out);
  grouped(b, s, e, Pass::dgrad, 2);
  grouped(b, s, e, Pass::wgrad, 1);
}

void expert_host(NodeBuilder& b, const ExpertShape& s) {
  const Stack& stack = *b.settings().stack;
  b.host((narrow(b.settings().precision.compute) ? stack.host_per_local_expert_fp8 : stack.host_per_local_expert).value, s.local_experts);
}

}  // namespace

ExpertShape expert_shape(const NodeBuilder& b, const MoeMlp& u) {
  const LayerSettings& s = b.settings();
  return {s.model->hidden_size,
          expert_width(s, u),
          s.routed_tokens(),
          sent_copies(s, u),
          u.num_experts / s.parallel.ep,
          s.parallel.etp,
          u.moe_ffn_hidden_size / s.parallel.etp};
}

ExpertKernel per_copy(OpKind kind, std::string_view label, Pass pass, std::int64_t bytes, std::uint32_t kernels,
                      std::int64_t gathered) {
  ExpertKernel k;
  k.op.kind = kind;
  k.op.pass = pass;
  k.op.label = label;
  k.op.traffic = Bytes{bytes};
  k.op.kernels = kernels;
  k.gathered = gathered;
  return k;
}

void expert_activation(NodeBuilder& b, const ExpertShape& s, const MoeMlp& u, Pass pass) {
  const std::int64_t bytes =
      pass == Pass::forward ? activation_forward_bytes(u.gated, s.ffn) : activation_backward_bytes(u.gated, s.ffn);
  b.add(per_copy(OpKind::memory_bound, "expert activation", pass, bytes, 1, s.etp));
}

void experts_forward(NodeBuilder& b, const MoeMlp& u) {
  const ExpertShape s = expert_shape(b, u);
  expert_host(b, s);
  grouped_forward(b, s, fc1(s, u));
  expert_activation(b, s, u, Pass::forward);
  grouped_forward(b, s, fc2(s, u));
}

void experts_backward(NodeBuilder& b, const MoeMlp& u) {
  const ExpertShape s = expert_shape(b, u);
  expert_host(b, s);
  grouped_backward(b, s, fc2(s, u));
  expert_activation(b, s, u, Pass::dgrad);
  grouped_backward(b, s, fc1(s, u));
}

}  // namespace moesim
