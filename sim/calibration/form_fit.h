// Constants of a form that is not linear in them, from timings.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace moesim {

/// Seconds of timing `i` with these constants.
using FormOf = std::function<double(std::span<const double> constants, std::size_t i)>;

struct FittedConstants {
  std::vector<double> constants;
  double loss = 0;   // of one form against another on the same timings
};

/// Constants > 0 that make the logarithms of form over measured small, near `start`: Levenberg and Marquardt in the logarithms of the constants,
/// errors over 10 % count linearly, and a weak pull to `start` holds those that the timings say nothing about. Deterministic; the same bits everywhere.
FittedConstants fit_constants(const FormOf&, std::span<const double> start, std::span<const double> seconds);

}  // namespace moesim
