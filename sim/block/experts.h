// The kernels of routed experts on the ranks that hold them, and what they have in common with the exchange around them.
#pragma once

#include "block/parts.h"

namespace moesim {

struct ExpertShape {
  std::int64_t hidden, width, routed, copies, local_experts, etp, ffn;  // ffn: of an expert on this rank
};
ExpertShape expert_shape(const NodeBuilder&, const MoeMlp&);

/// A kernel that moves `bytes` a copy that its rank got; `gathered` as in ExpertKernel.
ExpertKernel per_copy(OpKind kind, std::string_view label, Pass pass, std::int64_t bytes, std::uint32_t kernels,
                      std::int64_t gathered);

/// fc1, activation, fc2 and back, with the host's loops over experts; the activation alone is what may be repeated.
void expert_activation(NodeBuilder&, const ExpertShape&, const MoeMlp&, Pass);
void experts_forward(NodeBuilder&, const MoeMlp&);
void experts_backward(NodeBuilder&, const MoeMlp&);

}  // namespace moesim
