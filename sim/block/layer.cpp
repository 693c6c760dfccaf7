// A layer: each part between its norm and its residual.
#include <algorithm>

#include "block/lowering_rules.h"
#include "block/parts.h"

namespace moesim {

namespace {

void lower_part(NodeBuilder& b, const Part& part, bool forward) {
  std::visit(
      [&](const auto& p) {
        if constexpr (kLowered<std::decay_t<decltype(p)>>) {  // the others were refused by check_lowering
          if (forward)
            part_forward(b, p);
          else
            part_backward(b, p);
        }
      },
      part);
}

/// Whether all of the part runs as a CUDA graph.
bool is_graphed(const Stack& stack, const Part& part) {
  if (std::holds_alternative<MoeMlp>(part)) return stack.cuda_graph_moe;
  return std::holds_alternative<DenseMlp>(part) ? stack.cuda_graph_mlp : stack.cuda_graph_attn;
}

void layer_forward(NodeBuilder& b, const LayerKind& kind) {
  const std::int64_t tokens = b.settings().split_tokens(), h = b.settings().model->hidden_size;
  const NormPlan plan = norm_plan(kind);
  for (std::size_t i = 0; i < kind.parts.size(); ++i)
    b.graphed(is_graphed(*b.settings().stack, kind.parts[i]), [&] {
      if (plan.before(kind.parts[i])) norm_forward(b, "norm", tokens, h);
      lower_part(b, kind.parts[i], true);
      if (plan.after(i)) norm_forward(b, "post-norm", tokens, h);
      b.stream(OpKind::memory_bound, "residual", Pass::forward, 6 * tokens * h);
    });
}

void layer_backward(NodeBuilder& b, const LayerKind& kind) {
  const std::int64_t tokens = b.settings().split_tokens(), h = b.settings().model->hidden_size;
  const bool repeats_norms = NodeBuilder::selective(b.settings(), &Recompute::layernorm);
  const NormPlan plan = norm_plan(kind);
  if (repeats_norms) b.host(b.settings().stack->host_per_recompute_module.value, 1);
  for (std::size_t i = kind.parts.size(); i-- > 0;)
    b.graphed(is_graphed(*b.settings().stack, kind.parts[i]), [&] {
      const bool norm = plan.before(kind.parts[i]);
      b.stream(OpKind::memory_bound, "residual", Pass::dgrad, 6 * tokens * h);
      if (plan.after(i)) norm_backward(b, "post-norm", tokens, h);
      if (norm && repeats_norms) b.recomputed([&] { norm_forward(b, "norm", tokens, h); });
      lower_part(b, kind.parts[i], false);
      if (norm) norm_backward(b, "norm", tokens, h);
    });
}

}  // namespace

NormPlan norm_plan(const LayerKind& kind) {
  const auto parts = static_cast<std::int64_t>(kind.parts.size());
  return {std::clamp<std::int64_t>(kind.norms - parts, 0, parts), kind.norms < parts};
}

LayerProgram lower_layer(const LayerSettings& s, const LayerKind& kind) {
  check_lowering(s, kind);
  NodeBuilder forward(s), backward(s);
  layer_forward(forward, kind);
  if (s.recompute.granularity == RecomputeGranularity::full) {
    backward.host(s.stack->host_per_recompute_module.value, 1);
    backward.recomputed([&] { layer_forward(backward, kind); });
  }
  layer_backward(backward, kind);
  return {forward.take(), backward.take()};
}

}  // namespace moesim
