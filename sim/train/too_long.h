// What to say of a step that would take months: which number of the machine or scenario is out of all proportion.
#pragma once

#include <string>

#include "train/scenario.h"

namespace moesim {

/// One line that names the number furthest below what machines have, if one is far below; else the sizes of the batch.
std::string too_long_text(const TrainScenario&);

}  // namespace moesim
