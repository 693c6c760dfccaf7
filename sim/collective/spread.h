// How many places (ranks, nodes) the copies of a token reach: what de-duplication saves.
#pragma once

#include <cstdint>

namespace moesim {

/// A router that draws top_k distinct experts of num_experts, all alike; with `limit` > 0 only inside `limit` of `groups` equal groups.
struct Spread {
  std::int64_t num_experts = 0, top_k = 0;
  std::int64_t groups = 0, limit = 0;

  /// Probability that a token reaches a place that holds `experts` of the experts: exact where groups and places nest.
  double reach(std::int64_t experts) const;
};

/// `reach` of one place as its load changes. Copies a token c run from 0 to d = min(top_k, experts), the most that distinct experts allow;
/// the chance of a hit follows d draws without replacement, each a hit in c / d: 0 for 0, 1 for d, and exact for even load.
class PlaceReach {
 public:
  PlaceReach(const Spread&, std::int64_t experts);
  double at(double copies) const;

 private:
  double hit(double copies) const;   // without groups
  double num_experts_, draws_, even_copies_, even_hit_, even_reach_;
};

}  // namespace moesim
