// Who acts in a step: one actor a rank, or (fold) one actor a class of equal ranks; and the groups they communicate in.
//
// In fold with uneven random loads, each class with several members in an expert-parallel group becomes two actors: the most loaded
// of them, and the mean of the others. That is approximate, and is said so.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collective/placement.h"
#include "engine/workload.h"
#include "parallel/layout.h"
#include "train/scenario.h"
#include "train/train_step.h"

namespace moesim {

/// Group slots of an actor: one a GroupKind, then the world, the pipeline neighbours, and the TP group again for what runs behind kernels
/// (a communicator of its own: one serves one stream).
enum class GroupSlot : std::uint16_t {
  world = kGroupKinds, forward_in, forward_out, backward_in, backward_out, tp_behind,
};
constexpr std::size_t kGroupSlots = kGroupKinds + 6;
constexpr std::uint16_t slot(GroupKind k) { return static_cast<std::uint16_t>(k); }
constexpr std::uint16_t slot(GroupSlot s) { return static_cast<std::uint16_t>(s); }

struct ActorGroup {
  std::vector<ActorId> members;             // actors, in the order in which the engine sees them
  std::vector<std::uint32_t> real_member;   // of each actor member: its index in `ranks`
  std::vector<Rank> ranks;                  // the real group (of the first representative)
  Placement placement;
  std::uint32_t shape = 0;                  // groups of equal shape have equal placements and members
};

struct Actors {
  std::vector<ActorInfo> info;
  std::vector<double> gpu_speed, nic_speed;                         // of each actor
  std::vector<std::array<GroupId, kGroupSlots>> group_of;           // of each actor
  std::vector<std::vector<std::uint32_t>> expert_members;          // of each actor: members of its expert-parallel group that are of its class
  std::vector<ActorGroup> groups;
  std::uint32_t shapes = 0;
  bool approximate = false;      // ranks whose random loads differ are merged
  bool merges_speeds = false;    // ranks whose drawn speeds differ are merged
};

/// `speed`: of each rank's GPU (gpu_speeds.h). In fold, ranks whose speeds were drawn are not told apart by them: an actor that stands for many
/// runs at the speed of their slowest, and the most loaded of a group, which is another from layer to layer, at their mean.
Actors make_actors(const TrainScenario&, const ParallelLayout&, Detail, bool exactly_balanced, const std::vector<double>& speed);

}  // namespace moesim
