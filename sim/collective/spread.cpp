#include "collective/spread.h"

#include <algorithm>

#include "base/maths.h"

namespace moesim {
namespace {

/// Probability that `draws` distinct things out of `all` miss `marked` of them: C(all - marked, draws) / C(all, draws).
double miss(std::int64_t all, std::int64_t marked, std::int64_t draws) {
  double p = 1;
  for (std::int64_t i = 0; i < draws; ++i) p *= static_cast<double>(std::max<std::int64_t>(0, all - marked - i)) / static_cast<double>(all - i);
  return p;
}

double choose(std::int64_t n, std::int64_t k) {
  double c = 1;
  for (std::int64_t i = 0; i < k; ++i) c *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return k > n ? 0 : c;
}

/// Saturating hits of `copies` copies on `experts` experts, drawn k at a time.
double saturation(std::int64_t experts, std::int64_t top_k, double copies) {
  const double l = static_cast<double>(experts), k = static_cast<double>(top_k);
  const double m = k * l / (k + l - 1);
  return copies >= m ? 1 : 1 - portable_pow(1 - copies / m, m);
}

}  // namespace

double Spread::reach(std::int64_t experts) const {
  if (experts >= num_experts) return 1;
  const bool limited = limit > 0 && limit < groups && num_experts % groups == 0;
  if (!limited) return 1 - miss(num_experts, experts, top_k);
  const std::int64_t group = num_experts / groups, open = group * limit;
  if (experts <= group) return static_cast<double>(limit) / static_cast<double>(groups) * (1 - miss(open, experts, top_k));
  const std::int64_t mine = experts / group;      // groups of this place; j of them are open
  double hit = 0;
  for (std::int64_t j = 1; j <= std::min(mine, limit); ++j) {
    const double odds = choose(mine, j) * choose(groups - mine, limit - j) / choose(groups, limit);
    hit += odds * (1 - miss(open, j * group, top_k));
  }
  return hit;
}

double Spread::reach(std::int64_t experts, double copies) const {
  const double even = static_cast<double>(top_k) * static_cast<double>(experts) / static_cast<double>(num_experts);
  const double uniform = reach(experts);
  if (copies == even) return uniform;
  if (copies <= 0) return 0;
  const double ratio = saturation(experts, top_k, copies) / saturation(experts, top_k, even);
  return std::min({1.0, copies, uniform * ratio});
}

}  // namespace moesim
