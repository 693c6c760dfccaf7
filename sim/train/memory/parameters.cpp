#include "train/memory.h"
#include "train/stage_units.h"

namespace moesim {

StageParams stage_params(const TrainScenario& s, std::int64_t stage) {
  StageParams out;
  for (const std::vector<Unit>& chunk : stage_units(s, stage))
    for (const Unit& u : chunk) {
      out.dense += u.dense;
      out.routed += u.routed;
    }
  return out;
}

}  // namespace moesim
