// The algorithms behind collective(), one function an operation. Groups have at least two members and bytes are > 0.
#pragma once

#include "collective/collective.h"
#include "collective/ports.h"
#include "collective/protocol.h"

namespace moesim {

/// One way to do a collective: how long until the first byte, how long the rest takes alone.
struct Candidate {
  std::string_view algorithm, protocol;
  double latency = 0, seconds = 0;   // of a lone transfer
  Reach reach{};                     // of the ports
  double total() const { return latency + seconds; }
};

/// What is known to run; "" is whatever ends soonest.
struct Wanted {
  std::string_view algorithm, protocol;
};

/// Any of them, whatever was measured.
CollectiveCost by_formula(CollectiveOp, Bytes, const Placement&, const HwProfile&, const Wanted& = {});

CollectiveCost all_reduce(std::int64_t bytes, const Placement&, const HwProfile&, const Wanted& = {});
/// All-gather, or reduce-scatter, which is the same run backwards.
CollectiveCost gather_or_scatter(CollectiveOp, std::int64_t bytes, const Placement&, const HwProfile&, const Wanted& = {});
/// From one root to all, or the same run backwards.
CollectiveCost broadcast_or_reduce(std::int64_t bytes, const Placement&, const HwProfile&);
CollectiveCost send_recv(std::int64_t bytes, const Placement&, const HwProfile&);

}  // namespace moesim
