#include "train/step/step_workload.h"

#include <cmath>

namespace moesim {

StepWorkload::StepWorkload(const TrainScenario& s, const Actors& actors, const StepProgram& program, StepKernels& kernels, StepMoves& moves,
                           StepLoads& loads, std::vector<std::size_t> speed_of_actor)
    : hardware_(s.hardware), actors_(actors), program_(program), kernels_(kernels), moves_(moves), loads_(loads),
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

std::int64_t StepWorkload::capacity(ActorId a, Port port) const {
  const bool nic = port == Port::scale_out_out || port == Port::scale_out_in;
  const double peak = nic ? hardware_.scale_out.per_gpu.value.count() * actors_.nic_speed[a.index()] : hardware_.scale_up.per_gpu.value.count();
  return static_cast<std::int64_t>(std::floor(peak));
}

}  // namespace moesim
