// The critical path of a step by class of time: what would have to shrink for the step to shrink.
#pragma once

#include <string>
#include <vector>

#include "engine/critical_path.h"
#include "train/train_step.h"

namespace moesim {

struct CriticalItem {
  std::string name;
  double seconds = 0;
};

/// Largest first; adds up to `end`. Empty if the path was not recorded in full.
std::vector<CriticalItem> critical_items(const TrainStep&, const CriticalPath&, Time end);

}  // namespace moesim
