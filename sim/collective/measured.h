// Collectives that were measured: the profile's curves in place of the formula's time.
#pragma once

#include <string>
#include <vector>

#include "collective/collective.h"

namespace moesim {

/// What the machine's curves say of a group: those of its scale-up fabric for a group behind one switch, those of the fabric above for whole
/// domains. Nothing where there is no curve.
std::optional<CollectiveCurves::Time> measured_time(CollectiveOp, double bytes, const Placement&, const HwProfile&);

/// The all-reduce kernels of serving engines that were timed on the machine: "trtllm", "vllm" in a graph, "vllm_eager".
std::vector<std::string> fused_all_reduce_kernels(const HwProfile&);
/// One of them, in a group behind one switch; nothing if it was not timed there. Large sizes are NCCL's, to which engines fall back.
std::optional<CollectiveCost> fused_all_reduce(std::string_view kernel, Bytes, const Placement&, const HwProfile&);

Provenance provenance(const CollectiveCurves::Time&);

/// The formula's transfer, taking as long as was measured: what exceeds its span waits first; where the measured time is shorter, the ports are filled better
/// than the profile says, up to their peak, and all members end sooner by the same factor.
void take_measured(Transfer& formula, const CollectiveCurves::Time&, const HwProfile&);

}  // namespace moesim
