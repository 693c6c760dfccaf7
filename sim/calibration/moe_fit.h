// Timed MoE layers -> constants of the form and a surface of ratios over it.
#pragma once

#include <span>

#include "cost/moe_layer.h"

namespace moesim {

struct MoeTiming {
  MoeShape shape;
  MoeLoad load;          // of skewed timings the mean over what they may have been
  double tokens = 0;     // of the whole group
  double seconds = 0;
};

/// What a device does before anything is known: 20 us, 0.8 of the bandwidth, 0.7 of the peak, ...
inline constexpr MoeConstants kUsualMoeConstants{20e-6, 0.8, 0.7, 0.5, 0.3, 0.5, 0.5};

/// Constants with the least mean pseudo-Huber loss of log(predicted / measured), whose logarithms are drawn weakly to those of the usual ones,
/// since a few shapes do not determine them all.
MoeConstants fit_moe_constants(const HwProfile&, DType, std::span<const MoeTiming>);

/// Constants and ratios over their form (cost/moe_layer.h). Throws InputError without timings.
MeasuredForm fit_moe_layer(const HwProfile&, DType, std::span<const MoeTiming>);

}  // namespace moesim
