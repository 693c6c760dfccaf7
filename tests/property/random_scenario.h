// Small random training scenarios, as JSON: everything that may change the time of a step, mixed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/scenario.h"

namespace moesim::test {

struct ScenarioLimits {
  std::int64_t gpus = 128;
  std::string load_law = "balanced";
  bool fast_host = false;               // a host that never holds up its GPU, so that loads show
};

/// The JSON of the seed's scenario, which may break a layout rule.
std::string random_scenario_text(std::uint64_t seed, const ScenarioLimits& = {});

/// Nothing if the seed's scenario breaks a layout rule.
std::optional<TrainScenario> random_scenario(std::uint64_t seed, const ScenarioLimits& = {});

TrainScenario scenario(const std::string& text);

}  // namespace moesim::test
