#include "calibration/scores.h"

#include <cmath>

#include "base/statistics.h"

namespace moesim {

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
  out.rows = static_cast<std::int64_t>(errors.size());
  out.mean /= n;
  out.bias /= n;
  out.median = quantile(sizes, 0.5);
  out.p90 = quantile(sizes, 0.9);
  return out;
}

}  // namespace moesim
