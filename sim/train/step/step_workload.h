// The step as the engine sees it: actors, their scripts, and what segments and transfers cost.
#pragma once

#include <vector>

#include "engine/workload.h"
#include "train/step/program.h"

namespace moesim {

class StepWorkload : public Workload {
 public:
  StepWorkload(const TrainScenario&, const Actors&, const StepProgram&, StepKernels&, StepMoves&, StepLoads&,
               std::vector<std::size_t> speed_of_actor);

  std::size_t actors() const override { return actors_.info.size(); }
  std::size_t streams() const override { return kStepStreams; }
  std::size_t event_slots() const override { return program_.event_slots(); }
  std::size_t groups() const override { return actors_.groups.size(); }
  std::optional<Block> next_block(ActorId) override;
  GroupId group(ActorId a, std::uint16_t slot) const override { return actors_.group_of[a.index()][slot]; }
  std::span<const ActorId> members(GroupId g) const override { return actors_.groups[g.index()].members; }
  Segment segment(ActorId, std::uint32_t id, BlockTag) override;
  const Transfer& transfer(GroupId g, std::uint32_t id, BlockTag tag) override { return moves_.transfer(g, id, tag); }
  bool takes_of_members() const override { return takes_; }
  Beside held(GroupId g, std::uint32_t id) const override { return moves_.held(g, id); }
  PacedSegment paced(ActorId, std::uint32_t id, BlockTag, Beside) override;
  std::int64_t capacity(ActorId, Port) const override;

 private:
  const HwProfile& hardware_;
  const bool takes_;                   // some transfers run beside kernels
  const Actors& actors_;
  const StepProgram& program_;
  StepKernels& kernels_;
  StepMoves& moves_;
  StepLoads& loads_;
  std::vector<std::size_t> speed_;
  std::vector<std::size_t> next_;      // of each actor: its next block
};

}  // namespace moesim
