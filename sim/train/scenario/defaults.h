// What a scenario gets where it is silent, in one place: the readers use these, and the help of the command line states them.
#pragma once

#include <cstdint>

namespace moesim::scenario_default {

inline constexpr const char* kStack = "megatron-core-2026.04";
inline constexpr std::int64_t kSize = 1;                      // tp, pp, ep; etp is tp; vpp follows from a pipeline_layout
inline constexpr std::int64_t kSeqLength = 4096;
inline constexpr std::int64_t kMicroBatchSize = 1;
inline constexpr std::int64_t kMicroBatchesPerStage = 8;      // global_batch_size = this * pp * dp * micro_batch_size
inline constexpr std::int64_t kSeed = 0;

}  // namespace moesim::scenario_default
