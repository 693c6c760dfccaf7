// Step times of further optimizer steps, each with loads of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "train/train_step.h"

namespace moesim {

constexpr std::int64_t kMostSamples = 100'000;

/// Of the samples `first` to `first + count - 1`, in that order. On several threads where OpenMP is there; the times do not depend on it.
std::vector<double> sample_step_times(const TrainScenario&, Detail, std::int64_t first, std::int64_t count);

}  // namespace moesim
