// The settings of one layer as a scenario chooses them, together with the dispatcher they point to.
#pragma once

#include <memory>

#include "block/settings.h"
#include "train/scenario.h"

namespace moesim {

struct OwnedLayerSettings {
  std::unique_ptr<Dispatcher> dispatcher;   // null for dense models
  LayerSettings settings;                   // points into the scenario and at `dispatcher`
};

/// `scenario` must outlive the result.
OwnedLayerSettings layer_settings(const TrainScenario& scenario);

}  // namespace moesim
