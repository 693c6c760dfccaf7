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

/// The loads of one expert-parallel group in one layer and micro-batch.
struct GroupLoads {
  struct ActorLoad {
    RankLoad load;
    std::uint32_t hottest = 0;               // of the members that the actor stands for, the most loaded one
  };
  std::vector<RankLoad> ranks;               // of all real members, in group order; in fold, of the group's last draw only
  std::vector<ActorLoad> actors;             // fold with uneven load: of each actor of the group, in its order; else empty
};

class StepLoads {
 public:
  /// `sample` is the number of the optimizer step.
  StepLoads(const TrainScenario&, const ParallelLayout&, const Actors&, std::int64_t tokens_per_rank, std::int64_t sample);

  /// Load of one actor in `tag`'s layer and micro-batch.
  const RankLoad& of(ActorId, BlockTag);
  /// Loads of an expert-parallel group. Valid until the next call for this group.
  const GroupLoads& of_group(GroupId, BlockTag);
  bool balanced() const { return balanced_; }

  MoeStatistics statistics() const;

 private:
  struct GroupState {                        // of one expert-parallel group
    std::int64_t key = 0;                    // names the group in random draws: the same in fold and ranks
    std::vector<std::vector<GroupLoads>> at; // [layer][micro-batch], one of each if balanced; empty until asked for
    GroupLoads* last = nullptr;              // the last one drawn
  };
  GroupLoads& find(GroupState&, BlockTag) const;
  DispatchPlan draw(const GroupState&, BlockTag);
  void count(const DispatchPlan&);
  std::vector<GroupLoads::ActorLoad> onto_actors(const ActorGroup&, std::span<const RankLoad>) const;

  const TrainScenario& scenario_;
  const Actors& actors_;
  std::int64_t sample_;
  std::unique_ptr<LoadSampler> sampler_;
  bool balanced_ = true;
  LoadShape shape_;
  std::int64_t tokens_per_rank_ = 0, layers_ = 0;
  std::vector<GroupState> groups_;                          // by GroupId, only those that are expert-parallel
  std::vector<std::int64_t> counts_;                        // tokens of each expert in the last draw
  std::vector<std::uint32_t> index_in_group_;               // of each actor in its expert-parallel group
  double sum_ratio_ = 0, sum_vio_ = 0, sum_gini_ = 0;
  std::int64_t draws_ = 0, routed_ = 0, dropped_ = 0;
};

}  // namespace moesim
