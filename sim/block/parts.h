// Internal to block: the parts of a layer in each direction, without the norm before and the residual after them.
#pragma once

#include "block/nodes.h"

namespace moesim {

void part_forward(NodeBuilder&, const Gqa&);
void part_backward(NodeBuilder&, const Gqa&);
void part_forward(NodeBuilder&, const Mla&);
void part_backward(NodeBuilder&, const Mla&);
void part_forward(NodeBuilder&, const DenseMlp&);
void part_backward(NodeBuilder&, const DenseMlp&);
void part_forward(NodeBuilder&, const MoeMlp&);
void part_backward(NodeBuilder&, const MoeMlp&);

/// Parts that can be lowered: those above.
template <class P>
constexpr bool kLowered = requires(NodeBuilder& b, const P& p) {
  part_forward(b, p);
};

/// Embedding look-up, also used by multi-token prediction.
void embedding_forward(NodeBuilder&);
void embedding_backward(NodeBuilder&);

/// Which parts have norms. A layer with more norms than parts has post-norms after its first parts; one with fewer has a MoE unit
/// that shares its neighbour's (LongCat's shortcut).
struct NormPlan {
  std::int64_t post = 0;
  bool shared = false;
  bool before(const Part& part) const { return !shared || !std::holds_alternative<MoeMlp>(part); }
  bool after(std::size_t index) const { return static_cast<std::int64_t>(index) < post; }
};
NormPlan norm_plan(const LayerKind&);

/// The attention core; without a fused kernel its scores go through memory between the products.
void attention_core(NodeBuilder&, const Op&);

/// Width of an expert's input and output.
inline std::int64_t expert_width(const LayerSettings& s, const MoeMlp& u) {
  return u.latent_size ? u.latent_size : s.model->hidden_size;
}
/// Token copies that one rank sends, drops not counted: with padding every expert gets its capacity.
std::int64_t sent_copies(const LayerSettings&, const MoeMlp&);

}  // namespace moesim
