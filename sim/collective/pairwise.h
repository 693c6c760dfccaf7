// All-to-all: every member sends to every other at once, its own domain over the scale-up fabric and the rest over its NIC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collective/placement.h"
#include "collective/ports.h"
#include "engine/transfer.h"
#include "hw/profile.h"

namespace moesim {

/// What the members carry when each of them sends to[j] bytes to member j: one entry for all if `to` is constant and the placement
/// symmetric. On a mesh each pair has its own link; on the NIC each message costs the ramp of a message (half_message).
std::vector<PortLoad> pairwise_loads(std::span<const std::int64_t> to, const Placement&, const HwProfile&);

/// A domain of `members`, of which each exchanges with the others over the scale-up fabric.
class InsideRate {
 public:
  InsideRate(const HwProfile&, std::int64_t members);
  /// `efficiency`: of the peak, what the kernels reach.
  InsideRate(const HwProfile&, std::int64_t members, double efficiency);
  /// Of `bytes` of one member to or from the others, `largest_pair` of them with one.
  double seconds(std::int64_t bytes, std::int64_t largest_pair) const {
    if (bytes == 0) return 0;
    const double longest = static_cast<double>(bytes) / all_;
    const bool pair_is_faster = largest_pair <= bytes && all_ <= pair_;   // known without a division
    return (pair_is_faster ? longest : std::max(longest, static_cast<double>(largest_pair) / pair_)) / efficiency_;
  }

 private:
  double all_, pair_, efficiency_;
};

/// What such exchanges reach of the ports.
Reach all_to_all_reach(const HwProfile&);

/// Seconds of `bytes` in `messages` messages over one NIC.
double across_seconds(const HwProfile&, std::int64_t messages, std::int64_t bytes);

/// Even exchanges among whole groups of equal domains, as the formula has them.
class EvenExchange {
 public:
  EvenExchange(const Placement&, const HwProfile&);
  /// What each member sends, its own share included, if the exchange takes so long; >= 0.
  double as_slow_as(double seconds) const;

 private:
  double inside_ = 0, across_ = 0, ramp_ = 0;   // seconds of a byte that a member sends to all, and of no byte
};

struct PairwiseCost {
  Transfer transfer;
  std::string_view protocol;
};

/// The exchange under the protocol, LL or Simple, that ends soonest.
PairwiseCost pairwise(std::span<const PortLoad>, const Placement&, const HwProfile&);

}  // namespace moesim
