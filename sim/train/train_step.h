// One optimizer step, simulated.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "train/scenario.h"
#include "train/step_plan.h"

namespace moesim {

enum class Detail : std::uint8_t { fold, ranks };

/// Loads seen while the step ran, over all MoE layers and micro-batches of one group a stage.
struct MoeStatistics {
  double rank_max_over_mean = 1;   // mean over (layer, micro-batch) of the most loaded EP rank over the mean
  double max_vio = 0, gini = 0;    // of experts, mean over (layer, micro-batch)
  double drop_rate = 0;
};

struct ActorInfo {
  Rank rank;                       // the rank, or the class's representative
  std::int64_t stage = 0;
  std::int64_t multiplicity = 1;   // ranks it stands for
  bool hottest = false;            // in fold with uneven load: stands for the most loaded rank of its EP group
  double busy = 1;                 // how long the GPUs that it stands for run a kernel, over how long it does: below 1 where it is their slowest
};

/// A step ready to run. Immutable inputs are shared; each run() is a fresh simulation.
class TrainStep {
 public:
  /// `sample` numbers the optimizer step whose loads are drawn. This and run() throw InputError for a step of more than 46 days, with the
  /// number of the machine that is to blame.
  TrainStep(const TrainScenario&, Detail, std::int64_t sample = 0);   // keeps the reference
  TrainStep(TrainScenario&&, Detail, std::int64_t sample = 0) = delete;
  ~TrainStep();

  RunResult run(std::span<Observer* const> observers = {}, const EngineOptions& = {});
  /// Hands a fresh workload of the step to `use`, to run it changed.
  void visit(const std::function<void(Workload&)>& use);

  const TrainScenario& scenario() const;
  const std::vector<ActorInfo>& actors() const;
  bool merges_loads() const;                    // fold merged ranks whose loads differ
  bool merges_speeds() const;                   // fold merged ranks whose drawn speeds differ
  bool approximate() const { return merges_loads() || merges_speeds(); }
  SegmentInfo segment_info(ActorId, std::uint32_t id, BlockTag) const;
  TransferKind transfer_kind(std::uint32_t id) const;
  std::string_view transfer_label(std::uint32_t id) const;
  /// Activation bytes that appear (> 0) or go (< 0) at a mark.
  Bytes memory_delta(ActorId, std::uint32_t mark, BlockTag) const;
  MoeStatistics moe_statistics() const;         // after run()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace moesim
