// Figures of a set of numbers.
#pragma once

#include <vector>

namespace moesim {

/// The q-quantile of `values` in any order, linear between neighbours. `values` must not be empty.
double quantile(std::vector<double> values, double q);

}  // namespace moesim
