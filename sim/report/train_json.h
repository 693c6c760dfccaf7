// A training report for programs: JSON (keys of DESIGN section 7) and CSV (one line).
#pragma once

#include <string>

#include "analysis/train_report.h"

namespace moesim {

std::string to_json(const TrainReport&);
std::string to_json(const MemoryReport&);
/// Header line and one line of values.
std::string to_csv(const TrainReport&);

}  // namespace moesim
