// Ring traffic of one group: within each scale-up domain a ring over its members, between domains one ring that every member's NIC
// carries a part of. Domains may hold different numbers of members.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/placement.h"
#include "engine/transfer.h"
#include "hw/profile.h"

namespace moesim {

struct RingWork {
  std::vector<Transfer::Member> members;    // one for all if the placement is symmetric
  double inside = 0, across = 0;            // seconds of the slowest member at ring efficiency, by fabric
};

/// All-gather of `bytes` in total: each member starts with bytes / ranks. Domain d of m members lacks (n - m) / n of the bytes; its NICs
/// bring them in, equal parts each, and pass on what the next domain lacks; then (m - 1) / m of everything goes round inside.
/// Bytes round up to one a member.
RingWork ring_all_gather(std::int64_t bytes, const Placement&, const HwProfile&);
/// The same traffic backwards.
RingWork ring_reduce_scatter(std::int64_t bytes, const Placement&, const HwProfile&);
/// One pass of `bytes` along a chain through all members, in a pipeline: every link carries all of it, in parts of a domain's NICs between domains.
/// The root that only sends and the end that only receives count as members that do both.
RingWork ring_broadcast(std::int64_t bytes, const Placement&, const HwProfile&);
/// Gather and scatter, one after the other.
RingWork ring_all_reduce(std::int64_t bytes, const Placement&, const HwProfile&);

}  // namespace moesim
