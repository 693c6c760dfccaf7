// How fast each GPU of a step is, against its profile.
#pragma once

#include <vector>

#include "train/scenario.h"

namespace moesim {

/// By rank: what `perturb.gpu_speed` says of it, and with `perturb.gpu_speed_spread` times 1 + gpu.speed_spread x a unit normal, by key of seed, sample and
/// rank, in steps of a thousandth. Samples are other machines of the same make.
std::vector<double> gpu_speeds(const TrainScenario&, std::int64_t sample);

}  // namespace moesim
