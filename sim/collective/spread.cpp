#include "collective/spread.h"

#include <algorithm>

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

PlaceReach::PlaceReach(const Spread& s, std::int64_t experts)
    : num_experts_(static_cast<double>(s.num_experts)),
      draws_(static_cast<double>(std::min(s.top_k, experts))),
      even_copies_(static_cast<double>(s.top_k * experts) / num_experts_),
      even_hit_(hit(even_copies_)),
      even_reach_(s.reach(experts)) {}

double PlaceReach::hit(double copies) const {
  const double marked = num_experts_ * copies / draws_;
  double missed = 1;
  for (double i = 0; i < draws_; ++i) missed *= std::max(0.0, num_experts_ - marked - i) / (num_experts_ - i);
  return 1 - missed;
}

double PlaceReach::at(double copies) const {
  if (copies == even_copies_ || even_hit_ >= 1) return std::min(copies, even_reach_);
  const double h = hit(copies);
  if (copies < even_copies_) return std::min(copies, even_reach_ * h / even_hit_);
  return std::min(copies, even_reach_ + (1 - even_reach_) * (h - even_hit_) / (1 - even_hit_));
}

}  // namespace moesim
