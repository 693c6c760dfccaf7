#include "block/nodes.h"

#include "base/error.h"

namespace moesim {

namespace {

std::int64_t group_size(const ParallelSizes& p, GroupKind g) {
  switch (g) {
    case GroupKind::tp:
      return p.tp;
    case GroupKind::ep:
      return p.ep;
    case GroupKind::etp:
      return p.etp;
    case GroupKind::tp_ep:
      return p.etp * p.ep;
    default:
      throw InternalError("a layer communicates in tensor and expert groups only");
  }
}

Op gemm(std::string_view label, Pass pass, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  Op op;
  op.kind = OpKind::gemm;
  op.pass = pass;
  op.dtype = dtype;
  op.label = label;
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

DType format(const NodeBuilder& b, const Linear& l) { return l.quantised ? b.settings().precision.compute : DType::bf16; }

void cast(NodeBuilder& b, const Linear& l, Pass pass, std::int64_t elements) {
  if (narrow(format(b, l))) b.stream(OpKind::cast, l.label, pass, kCastBytes * elements, 2);
}

/// Of the whole input, as a column layer gathers and its gradient is summed.
std::int64_t input_bytes(const Linear& l) { return kHalf * l.tokens * (l.gather_width ? l.gather_width : l.in); }

bool gathers_input(const NodeBuilder& b, const Linear& l) { return l.split == Split::column && b.gathers_sequence(); }

}  // namespace

void NodeBuilder::add(Op op) {
  op.recompute = recompute_;
  op.graphed = graphed_;
  out_.push_back(Kernel{op});
}

void NodeBuilder::add(ExpertKernel k) {
  k.op.recompute = recompute_;
  k.op.graphed = graphed_;
  out_.push_back(k);
}

void NodeBuilder::stream(OpKind kind, std::string_view label, Pass pass, std::int64_t bytes, std::uint32_t kernels) {
  Op op;
  op.kind = kind;
  op.pass = pass;
  op.label = label;
  op.traffic = Bytes{bytes};
  op.kernels = kernels;
  add(op);
}

void NodeBuilder::exchange(CollectiveOp op, GroupKind group, std::int64_t bytes) {
  if (group_size(parallel(), group) > 1) out_.push_back(Exchange{op, group, Bytes{bytes}, false, graphed_});
}

void NodeBuilder::exchange_behind(CollectiveOp op, std::int64_t bytes) {
  if (!settings_.tp_overlap || parallel().tp == 1) return exchange(op, GroupKind::tp, bytes);
  if (behind_) throw InternalError("one transfer at a time runs behind kernels");
  out_.push_back(Exchange{op, GroupKind::tp, Bytes{bytes}, true, graphed_});
  behind_ = true;
}

void NodeBuilder::join() {
  if (behind_) out_.push_back(Join{});
  behind_ = false;
}

void NodeBuilder::host(Time per_unit, std::int64_t units) {
  const Time t = time_from_seconds(seconds(per_unit * units) * settings_.host_factor);
  if (t > Time{0} && !graphed_) out_.push_back(HostWork{t});
}

void linear_forward(NodeBuilder& b, const Linear& l) {
  const std::int64_t tp = b.parallel().tp;
  if (gathers_input(b, l)) b.exchange(CollectiveOp::all_gather, GroupKind::tp, input_bytes(l));
  cast(b, l, Pass::forward, l.tokens * l.local_in(tp));
  b.add(gemm(l.label, Pass::forward, format(b, l), l.tokens, l.local_out(tp), l.local_in(tp)));
  if (l.split != Split::row) return;
  b.exchange(b.gathers_sequence() ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, GroupKind::tp,
             kHalf * l.tokens * l.out);
}

void linear_backward(NodeBuilder& b, const Linear& l) {
  const std::int64_t tp = b.parallel().tp, in = l.local_in(tp), out = l.local_out(tp);
  if (l.split == Split::row && b.gathers_sequence()) b.exchange(CollectiveOp::all_gather, GroupKind::tp, kHalf * l.tokens * l.out);
  if (gathers_input(b, l)) b.exchange_behind(CollectiveOp::all_gather, input_bytes(l));
  cast(b, l, Pass::dgrad, l.tokens * out);
  b.add(gemm(l.label, Pass::dgrad, format(b, l), l.tokens, in, out));
  b.join();
  if (l.split == Split::column)
    b.exchange_behind(b.gathers_sequence() ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce, input_bytes(l));
  b.add(gemm(l.label, Pass::wgrad, format(b, l), in, out, l.tokens));
  b.join();
}

void norm_forward(NodeBuilder& b, std::string_view label, std::int64_t tokens, std::int64_t width) {
  b.stream(OpKind::memory_bound, label, Pass::forward, 4 * tokens * width);
}

void norm_backward(NodeBuilder& b, std::string_view label, std::int64_t tokens, std::int64_t width, std::uint32_t kernels) {
  b.stream(OpKind::memory_bound, label, Pass::dgrad, 8 * tokens * width, kernels);
}

}  // namespace moesim
