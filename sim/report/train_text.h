// A training report for people.
#pragma once

#include <string>

#include "analysis/train_report.h"

namespace moesim {

/// At most `width` columns (at least 60).
std::string to_text(const TrainReport&, std::size_t width = 80);

}  // namespace moesim
