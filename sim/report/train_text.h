// A training report for people.
#pragma once

#include <string>

#include "analysis/train_report.h"

namespace moesim {

/// At most `width` columns (at least 60).
std::string to_text(const TrainReport&, std::size_t width = 80);
/// The components of the fullest stage; what is free or does not fit, and by how much.
std::string to_text(const MemoryReport&);
/// Every stage and component as a table.
std::string stages_text(const MemoryReport&);
/// "does not fit: stage 0 needs 91.2 GiB of 74.5 GiB usable, 16.7 GiB too much".
std::string does_not_fit(const MemoryReport&);
/// Two reports side by side, with the differences of the waterfall in order of size.
std::string compare_text(const TrainReport& a, const TrainReport& b, std::size_t width = 80);

}  // namespace moesim
