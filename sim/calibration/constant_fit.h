// A few physical constants of a form -> those that explain timings best.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/maths.h"
#include "calibration/normal_equations.h"

namespace moesim {

/// What is known of constants before any timing; all > 0.
template <std::size_t N>
struct ConstantRanges {
  std::array<double, N> usual, least, most;
  std::array<double, N> pull;   // of their logarithms to the usual ones, against the mean square of the errors
};

/// The constants with the least mean pseudo-Huber loss of log(predicted / measured) (errors over 10 % count by their size, so that wild timings
/// do not matter) and pull, by Levenberg-Marquardt steps on their logarithms. `slopes`(constants) gives a function of the index of a timing
/// that returns its `seconds` and the `slope` of their logarithm. `seconds` must not be empty.
template <std::size_t N, class Slopes>
std::array<double, N> fit_constants(const ConstantRanges<N>& ranges, std::span<const double> seconds, const Slopes& slopes);

// ---

namespace constant_fit {

template <std::size_t N>
struct Point {
  std::array<double, N> logs{};
  double loss = 0;
  NormalEquations<N> equations;
};

template <std::size_t N>
std::array<double, N> mapped(const std::array<double, N>& x, double (*f)(double)) {
  std::array<double, N> out{};
  std::transform(x.begin(), x.end(), out.begin(), f);
  return out;
}

template <std::size_t N, class Slopes>
Point<N> point(const std::array<double, N>& logs, const ConstantRanges<N>& ranges, std::span<const double> log_seconds, const Slopes& slopes) {
  constexpr double kHuber = 0.1;
  Point<N> out{logs, 0, {}};
  const auto at = slopes(mapped(logs, portable_exp));
  const double share = 1 / static_cast<double>(log_seconds.size());
  for (std::size_t i = 0; i < log_seconds.size(); ++i) {
    const auto s = at(i);
    const double error = portable_log(s.seconds) - log_seconds[i], root = std::sqrt(1 + error * error / (kHuber * kHuber));
    out.loss += share * 2 * kHuber * kHuber * (root - 1);
    out.equations.add(s.slope, error, share / root);
  }
  for (std::size_t i = 0; i < N; ++i) {
    std::array<double, N> unit{};
    unit[i] = 1;
    const double off = logs[i] - portable_log(ranges.usual[i]);
    out.loss += ranges.pull[i] * off * off;
    out.equations.add(unit, off, ranges.pull[i]);
  }
  return out;
}

}  // namespace constant_fit

template <std::size_t N, class Slopes>
std::array<double, N> fit_constants(const ConstantRanges<N>& ranges, std::span<const double> seconds, const Slopes& slopes) {
  using namespace constant_fit;
  constexpr int kSteps = 60;
  constexpr double kFar = 1e-5, kGain = 1e-7, kLeastDamping = 1e-6;   // what a step must change to be worth another
  std::vector<double> log_seconds;
  for (const double s : seconds) log_seconds.push_back(portable_log(s));
  const std::array<double, N> least = mapped(ranges.least, portable_log), most = mapped(ranges.most, portable_log);
  Point<N> best = point(mapped(ranges.usual, portable_log), ranges, log_seconds, slopes);
  double damping = 1e-3;
  for (int step = 0; step < kSteps && damping < 1e3; ++step) {
    const std::array<double, N> off = best.equations.solution(damping);
    std::array<double, N> logs = best.logs;
    for (std::size_t i = 0; i < N; ++i) logs[i] = std::clamp(logs[i] - std::clamp(off[i], -1.0, 1.0), least[i], most[i]);
    double moved = 0;
    for (std::size_t i = 0; i < N; ++i) moved = std::max(moved, std::abs(logs[i] - best.logs[i]));
    Point<N> next = point(logs, ranges, log_seconds, slopes);
    const double gain = 1 - next.loss / best.loss;
    if (gain > 0) best = std::move(next);
    if (moved < kFar || (gain > 0 && gain < kGain)) break;
    damping = gain > 0 ? std::max(damping / 4, kLeastDamping) : damping * 8;
  }
  return mapped(best.logs, portable_exp);
}

}  // namespace moesim
