#include "train/step/gpu_speeds.h"

#include <algorithm>
#include <cmath>

#include "base/draws.h"

namespace moesim {
namespace {

constexpr double kSteps = 1000;            // few kinds of GPUs: the kernels of each are costed once
constexpr double kSlowest = 0.5, kFastest = 1.5;   // five sigma of the widest spread that is read

}  // namespace

std::vector<double> gpu_speeds(const TrainScenario& s, std::int64_t sample) {
  std::vector<double> out(static_cast<std::size_t>(s.parallel.gpus), 1.0);
  if (s.gpu_speed_spread) {
    const UnitNormal normal;
    for (std::size_t r = 0; r < out.size(); ++r) {
      RandomStream random(s.seed, "gpu speed", {sample, static_cast<std::int64_t>(r)});
      const double drawn = 1 + s.hardware.gpu.speed_spread.value * normal(random);
      out[r] = std::round(std::clamp(drawn, kSlowest, kFastest) * kSteps) / kSteps;
    }
  }
  for (const auto& [rank, factor] : s.gpu_speed) out[static_cast<std::size_t>(rank)] *= factor;
  return out;
}

}  // namespace moesim
