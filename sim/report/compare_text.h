// Two training reports side by side.
#pragma once

#include <string>

#include "analysis/train_report.h"

namespace moesim {

/// Headline figures, which of the two does not fit in memory, and the differences of the waterfall in order of size.
std::string compare_text(const TrainReport& a, const TrainReport& b, std::size_t width = 80);

}  // namespace moesim
