// What a rank must hold, by component, without running the step: schedule-aware, per stage, uneven stages as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/scenario.h"

namespace moesim {

struct StageMemory {
  std::int64_t stage = 0;
  Bytes parameters{0};         // working copy
  Bytes gradients{0};
  Bytes optimizer{0};          // main parameters and moments
  Bytes activations{0};        // peak over the schedule
  Bytes workspace{0};          // what recomputation and the loss add to that for a moment
  Bytes framework{0};          // context, NCCL
  std::int64_t peak_in_flight = 0;   // chunk activations live at the peak
  Bytes total() const { return parameters + gradients + optimizer + activations + workspace + framework; }
};

/// Settings that would lower a component of this scenario, in the words of a scenario; empty where none would.
struct MemoryRelief {
  std::vector<std::string> parameters, gradients, optimizer, activations, workspace;
};
MemoryRelief relief(const TrainScenario&);

struct MemoryReport {
  std::vector<StageMemory> stages;
  std::size_t peak_stage = 0;
  Bytes capacity{0};           // usable memory of the GPU
  MemoryRelief relief;
  bool fits() const { return stages[peak_stage].total() <= capacity; }
};

MemoryReport memory(const TrainScenario&);

/// Parameters of a stage on one rank: dense (attention, dense and shared units, routers, norms, embeddings and the copies of them that
/// a tied output or multi-token prediction needs) and routed experts.
struct StageParams { std::int64_t dense = 0, routed = 0; };
StageParams stage_params(const TrainScenario&, std::int64_t stage);

/// Token copies of one MoE layer and micro-batch on the most loaded rank of an expert-parallel group: the mean over a few draws of the load
/// law (seeded by the scenario), rounded up; exact for a balanced law. 0 for a dense model.
std::int64_t most_token_copies(const TrainScenario&);

}  // namespace moesim
