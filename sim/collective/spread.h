// How many places (ranks, nodes) the copies of a token reach: what de-duplication saves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace moesim {

/// A router that draws top_k distinct experts of num_experts, all alike; with `limit` > 0 only inside `limit` of `groups` equal groups.
struct Spread {
  std::int64_t num_experts = 0, top_k = 0;
  std::int64_t groups = 0, limit = 0;

  /// Probability that a token reaches a place that holds `experts` of the experts: exact where groups and places nest.
  double reach(std::int64_t experts) const;
  /// The same for a place whose experts get `copies` copies a token on average instead of top_k * experts / num_experts: scaled by
  /// 1 - (1 - c / m)^m with m = k L / (k + L - 1), which is within 1 % of `reach` for even loads and exact for k = 1 or L = 1.
  double reach(std::int64_t experts, double copies) const;
};

}  // namespace moesim
