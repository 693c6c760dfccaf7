#include "calibration/scores.h"

#include <algorithm>
#include <cmath>

namespace moesim {
namespace {

// Linear between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

ErrorStats error_stats(std::span<const double> errors) {
  ErrorStats out;
  if (errors.empty()) return out;
  std::vector<double> sizes;
  for (const double e : errors) {
    sizes.push_back(std::abs(e));
    out.mean += std::abs(e);
    out.bias += e;
  }
  const auto n = static_cast<double>(errors.size());
  std::sort(sizes.begin(), sizes.end());
  out.rows = static_cast<std::int64_t>(errors.size());
  out.mean /= n;
  out.bias /= n;
  out.median = quantile(sizes, 0.5);
  out.p90 = quantile(sizes, 0.9);
  return out;
}

}  // namespace moesim
