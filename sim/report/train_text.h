// A training report for people.
#pragma once

#include <string>

#include "analysis/train_report.h"

namespace moesim {

/// At most `width` columns (at least 60).
std::string to_text(const TrainReport&, std::size_t width = 80);
/// The memory table: components of the peak stage, then every stage's total; what does not fit and by how much.
std::string to_text(const MemoryReport&);

}  // namespace moesim
