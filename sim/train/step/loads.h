// The expert load of every actor, for each MoE layer and micro-batch: drawn by key, once, and kept compactly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/workload.h"
#include "moe/dispatch_plan.h"
#include "moe/expert_load.h"
#include "train/step/actors.h"

namespace moesim {

class StepLoads {
 public:
  /// `sample` is the number of the optimizer step.
  StepLoads(const TrainScenario&, const ParallelLayout&, const Actors&, std::int64_t tokens_per_rank, std::int64_t sample);

  /// Load of one actor in `tag`'s layer and micro-batch.
  const RankLoad& of(ActorId, BlockTag);
  /// Loads of all real members of the expert-parallel group, in group order. Valid until the next call.
  std::span<const RankLoad> of_group(GroupId, BlockTag);
  /// Of the members of its expert-parallel group that an actor stands for, the most loaded one.
  std::uint32_t hottest(ActorId, std::span<const RankLoad>) const;
  bool balanced() const { return balanced_; }

  MoeStatistics statistics() const;

 private:
  struct GroupState {                        // of one expert-parallel group
    std::int64_t key = 0;                    // names the group in random draws: the same in fold and ranks
    std::vector<std::vector<RankLoad>> at;   // [layer * micro-batches + micro-batch]: of real members; empty until asked for
  };
  const std::vector<RankLoad>& loads(GroupId, BlockTag);
  std::vector<RankLoad> draw(const GroupState&, BlockTag);

  const TrainScenario& scenario_;
  const Actors& actors_;
  std::int64_t sample_;
  std::unique_ptr<LoadSampler> sampler_;
  bool balanced_ = true;
  LoadShape shape_;
  std::int64_t tokens_per_rank_ = 0, layers_ = 0;
  std::vector<GroupState> groups_;                          // by GroupId, only those that are expert-parallel
  RankLoad scratch_;
  double sum_ratio_ = 0, sum_vio_ = 0, sum_gini_ = 0;
  std::int64_t draws_ = 0, routed_ = 0, dropped_ = 0;
};

}  // namespace moesim
