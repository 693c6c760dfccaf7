// MoE unit. Forward: shared experts, router, [latent down], permute, token counts, dispatch, [gather over ETP], sort by local
// expert, fc1, activation, fc2, unsort, [scatter over ETP], combine, unpermute, [latent up]. Backward in reverse.
#include "base/error.h"
#include "block/experts.h"

namespace moesim {

namespace {

constexpr std::int64_t kCountBytes = 8;  // token counts travel as 64-bit integers

struct Kernels {
  std::uint32_t forward, backward;
};
// Kernels of scores, top-k, map, auxiliary loss and counts beside the logits GEMM: 14 / 21 in all when fused, 72 together before.
constexpr Kernels kRouterFused{13, 19}, kRouterUnfused{28, 41};

bool dropless(const NodeBuilder& b) { return !b.settings().capacity.factor; }

// --- shared experts -----------------------------------------------------------------------------------------------------------

Linear shared_fc1(const NodeBuilder& b, const MoeMlp& u) {
  return {"shared fc1", b.settings().tokens(), b.settings().model->hidden_size, (u.gated ? 2 : 1) * u.shared_expert_ffn_hidden_size,
          Split::column};
}
Linear shared_fc2(const NodeBuilder& b, const MoeMlp& u) {
  return {"shared fc2", b.settings().tokens(), u.shared_expert_ffn_hidden_size, b.settings().model->hidden_size, Split::row};
}

void shared_forward(NodeBuilder& b, const MoeMlp& u) {
  if (u.shared_expert_ffn_hidden_size == 0) return;
  const std::int64_t tokens = b.settings().tokens(), ffn = u.shared_expert_ffn_hidden_size / b.parallel().tp;
  linear_forward(b, shared_fc1(b, u));
  b.stream(OpKind::memory_bound, "shared activation", Pass::forward, activation_forward_bytes(u.gated, ffn) * tokens);
  linear_forward(b, shared_fc2(b, u));
  if (u.shared_expert_gate)  // one-column linear map, sigmoid, product
    b.stream(OpKind::memory_bound, "shared gate", Pass::forward, 6 * b.settings().model->hidden_size * b.settings().split_tokens(),
             3);
}

void shared_backward(NodeBuilder& b, const MoeMlp& u) {
  if (u.shared_expert_ffn_hidden_size == 0) return;
  const std::int64_t tokens = b.settings().tokens(), ffn = u.shared_expert_ffn_hidden_size / b.parallel().tp;
  if (u.shared_expert_gate)
    b.stream(OpKind::memory_bound, "shared gate", Pass::dgrad, 10 * b.settings().model->hidden_size * b.settings().split_tokens(),
             4);
  linear_backward(b, shared_fc2(b, u));
  b.stream(OpKind::memory_bound, "shared activation", Pass::dgrad, activation_backward_bytes(u.gated, ffn) * tokens);
  linear_backward(b, shared_fc1(b, u));
}

// --- router -------------------------------------------------------------------------------------------------------------------

Linear logits(const NodeBuilder& b, const MoeMlp& u) {
  return {"router logits",
          b.settings().routed_tokens(),
          b.settings().model->hidden_size,
          u.num_experts + u.zero_experts,
          Split::none,
          false};
}

Kernels router_kernels(const NodeBuilder& b) { return b.settings().stack->router_fusion ? kRouterFused : kRouterUnfused; }

void router_forward(NodeBuilder& b, const MoeMlp& u) {
  linear_forward(b, logits(b, u));
  b.stream(OpKind::router, "router", Pass::forward, 6 * 4 * logits(b, u).out * b.settings().routed_tokens(),
           router_kernels(b).forward);
}

void router_backward(NodeBuilder& b, const MoeMlp& u) {
  b.stream(OpKind::router, "router", Pass::dgrad, 8 * 4 * logits(b, u).out * b.settings().routed_tokens(),
           router_kernels(b).backward);
  linear_backward(b, logits(b, u));
}

// --- permutation and exchange ---------------------------------------------------------------------------------------------------

/// Copies of `width` elements moved into or out of expert order: one read and one write in bf16. That rows are scattered is in the
/// machine's rate for permutation.
constexpr std::int64_t move_bytes(std::int64_t width, std::int64_t copies) { return 2 * kHalf * width * copies; }

std::uint32_t permute_kernels(const NodeBuilder& b) { return b.settings().stack->permute_fusion ? 4 : 8; }
std::uint32_t sort_kernels(const NodeBuilder& b) { return b.settings().stack->permute_fusion ? 2 : 4; }

/// Rows on this rank's own side of the exchange.
void permute(NodeBuilder& b, const MoeMlp& u, std::string_view label, Pass pass) {
  const ExpertShape s = expert_shape(b, u);
  if (b.settings().dispatcher->permutes_before())
    b.stream(OpKind::permute, label, pass, move_bytes(s.width, s.copies), permute_kernels(b));
}

/// Rows on the experts' side: the only permutation, or the sort by local expert after a permutation on the sender's side.
void sort(NodeBuilder& b, const MoeMlp& u, std::string_view label, Pass pass) {
  const ExpertShape s = expert_shape(b, u);
  const bool second = b.settings().dispatcher->permutes_before();
  if (second && (s.local_experts == 1 || b.parallel().ep * s.etp == 1)) return;  // arrives in order
  ExpertKernel k =
      per_copy(OpKind::permute, label, pass, move_bytes(s.width, 1), second ? sort_kernels(b) : permute_kernels(b), s.etp);
  k.per_received = true;
  b.add(k);
}

void cast_dispatched(NodeBuilder& b, const MoeMlp& u, Pass pass) {
  const ExpertShape s = expert_shape(b, u);
  if (narrow(b.settings().precision.dispatch)) b.stream(OpKind::cast, "dispatch", pass, kCastBytes * s.width * s.routed, 2);
}

void move(NodeBuilder& b, bool combine) {
  if (b.parallel().ep > 1) b.add(ExpertExchange{combine, combine ? DType::bf16 : b.settings().precision.dispatch});
}

void etp_exchange(NodeBuilder& b, const MoeMlp& u, CollectiveOp op) {
  const ExpertShape s = expert_shape(b, u);
  if (s.etp > 1) b.add(LoadedExchange{op, GroupKind::etp, Bytes{kHalf * s.width * s.etp}});
}

/// Token counts of all ranks: exchanged unless padding fixes them, read by the host unless a capacity bounds them.
void counts(NodeBuilder& b, const MoeMlp& u) {
  const ParallelSizes& p = b.parallel();
  if (b.settings().dispatcher->permutes_before() && !b.settings().capacity.pad)
    b.exchange(CollectiveOp::all_gather, GroupKind::tp_ep, kCountBytes * u.num_experts * p.etp * p.ep);
}

void read_counts(NodeBuilder& b) {
  if (dropless(b) && b.settings().dispatcher->host_reads_counts()) b.add(HostSync{});
}

/// Host work of a MoE layer in one pass, beyond launches. Router and preprocessing have half each of what graphs spare.
void layer_host(NodeBuilder& b) {
  const Stack& stack = *b.settings().stack;
  const double graphed = stack.graphed_moe_share.value * (stack.cuda_graph_moe_router + stack.cuda_graph_moe_preprocess) / 2;
  const Time work = stack.host_per_moe_layer.value;
  b.host(graphed == 0 ? work : time_from_seconds(seconds(work) * (1 - graphed)), 1);
  if (b.parallel().tp > 1) b.host(stack.host_per_moe_layer_tp.value, 1);
}

// Latent experts act in a narrower width: one map down before dispatch, one up after combine.
Linear latent_down(const NodeBuilder& b, const MoeMlp& u) {
  return {"latent down", b.settings().routed_tokens(), b.settings().model->hidden_size, u.latent_size};
}
Linear latent_up(const NodeBuilder& b, const MoeMlp& u) {
  return {"latent up", b.settings().routed_tokens(), u.latent_size, b.settings().model->hidden_size};
}

}  // namespace

std::int64_t sent_copies(const LayerSettings& s, const MoeMlp& u) {
  if (!s.capacity.factor || !s.capacity.pad) return s.routed_tokens() * u.top_k;
  return u.num_experts * expert_capacity(s.routed_tokens(), u.top_k, u.num_experts, *s.capacity.factor);
}

namespace {

// Up to the dispatch; Megatron graphs the first half, or both as one.
void route_forward(NodeBuilder& b, const MoeMlp& u) {
  shared_forward(b, u);
  router_forward(b, u);
}
void preprocess_forward(NodeBuilder& b, const MoeMlp& u) {
  if (u.latent_size) linear_forward(b, latent_down(b, u));
  cast_dispatched(b, u, Pass::forward);
  counts(b, u);
  permute(b, u, "permute", Pass::forward);
}
void preprocess_backward(NodeBuilder& b, const MoeMlp& u) {
  permute(b, u, "permute", Pass::dgrad);
  if (u.latent_size) linear_backward(b, latent_down(b, u));
}
void route_backward(NodeBuilder& b, const MoeMlp& u, bool whole) {
  router_backward(b, u);
  if (!whole && u.shared_expert_ffn_hidden_size) b.repeat(&Recompute::shared_experts, [&] { shared_forward(b, u); });
  shared_backward(b, u);
}

}  // namespace

void part_forward(NodeBuilder& b, const MoeMlp& u) {
  const Stack& stack = *b.settings().stack;
  layer_host(b);
  b.graphed(stack.cuda_graph_moe_router, [&] {
    route_forward(b, u);
    if (stack.cuda_graph_moe_preprocess) preprocess_forward(b, u);
  });
  if (!stack.cuda_graph_moe_preprocess) preprocess_forward(b, u);
  read_counts(b);
  move(b, false);
  etp_exchange(b, u, CollectiveOp::all_gather);
  sort(b, u, "sort by expert", Pass::forward);
  experts_forward(b, u);
  sort(b, u, "unsort", Pass::forward);
  etp_exchange(b, u, CollectiveOp::reduce_scatter);
  move(b, true);
  permute(b, u, "unpermute", Pass::forward);
  if (u.latent_size) linear_forward(b, latent_up(b, u));
}

void part_backward(NodeBuilder& b, const MoeMlp& u) {
  const bool whole = NodeBuilder::selective(b.settings(), &Recompute::moe);
  b.repeat(&Recompute::moe, [&] { part_forward(b, u); });
  layer_host(b);
  if (u.latent_size) linear_backward(b, latent_up(b, u));
  permute(b, u, "unpermute", Pass::dgrad);
  cast_dispatched(b, u, Pass::dgrad);
  move(b, false);  // the gradient of combine travels as tokens do
  etp_exchange(b, u, CollectiveOp::all_gather);
  sort(b, u, "unsort", Pass::dgrad);
  if (!whole) b.repeat(&Recompute::moe_act, [&] { expert_activation(b, expert_shape(b, u), u, Pass::forward); });
  experts_backward(b, u);
  sort(b, u, "sort by expert", Pass::dgrad);
  etp_exchange(b, u, CollectiveOp::reduce_scatter);
  move(b, true);
  const Stack& stack = *b.settings().stack;
  if (!stack.cuda_graph_moe_preprocess) preprocess_backward(b, u);
  b.graphed(stack.cuda_graph_moe_router, [&] {
    if (stack.cuda_graph_moe_preprocess) preprocess_backward(b, u);
    route_backward(b, u, whole);
  });
}

}  // namespace moesim
