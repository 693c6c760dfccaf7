#include "train/step/step_workload.h"

#include <algorithm>

#include "collective/ports.h"

namespace moesim {

StepWorkload::StepWorkload(const TrainScenario& s, const Actors& actors, const StepProgram& program, StepKernels& kernels, StepMoves& moves,
                           StepLoads& loads, std::vector<std::size_t> speed_of_actor)
    : hardware_(s.hardware), takes_(s.overlap.grad_reduce || s.overlap.param_gather || s.overlap.p2p || s.overlap.tp), actors_(actors), program_(program), kernels_(kernels), moves_(moves), loads_(loads),
      speed_(std::move(speed_of_actor)), next_(actors.info.size(), 0) {}

std::optional<Block> StepWorkload::next_block(ActorId a) {
  const std::vector<Block>& script = program_.script(actors_.info[a.index()].stage);
  std::size_t& next = next_[a.index()];
  if (next == script.size()) return std::nullopt;
  return script[next++];
}

Segment StepWorkload::segment(ActorId a, std::uint32_t id, BlockTag tag) {
  const RankLoad* load = kernels_.needs_load(id) ? &loads_.of(a, tag) : nullptr;
  return kernels_.segment(id, speed_[a.index()], load);
}

PacedSegment StepWorkload::paced(ActorId a, std::uint32_t id, BlockTag tag, Beside b) {
  const RankLoad* load = kernels_.needs_load(id) ? &loads_.of(a, tag) : nullptr;
  return kernels_.paced(id, speed_[a.index()], load, b);
}

std::int64_t StepWorkload::capacity(ActorId a, Port port) const {
  const auto whole = static_cast<double>(moesim::capacity(hardware_, port));
  const bool nic = port == Port::scale_out_out || port == Port::scale_out_in;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(nic ? whole * actors_.nic_speed[a.index()] : whole));
}

}  // namespace moesim
