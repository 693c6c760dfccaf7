// What to say of a step that would take months: which number of the machine, its software or the scenario is out of all proportion.
#pragma once

#include <string>

#include "train/scenario.h"

namespace moesim {

/// One line that names the number of the machine or its software that is slower than usual by most, if by far; else the sizes of the batch.
std::string too_long_text(const TrainScenario&);

}  // namespace moesim
