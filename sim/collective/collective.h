// Collectives and point-to-point as engine Transfers: latency, span and what each member's ports carry. Definitions follow
// nccl-tests: `bytes` is the whole buffer: for all_gather and reduce_scatter the gathered size, for all_to_all what one rank sends
// (its own share included), for broadcast and reduce what the root holds, for send_recv the message that the first of two members sends to the
// second.
//
// Where the machine has curves of measured times (`hw/collective_curves.h`), the time is theirs, and NCCL's pick is its own; elsewhere algorithm and
// protocol are those that end soonest for a lone transfer. The bytes on the ports are payload.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "collective/placement.h"
#include "collective/ports.h"
#include "cost/cost_model.h"
#include "engine/transfer.h"
#include "hw/profile.h"

namespace moesim {

enum class CollectiveOp : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, send_recv };
std::string_view name(CollectiveOp);

struct CollectiveCost {
  Transfer transfer;
  std::string_view algorithm;   // "ring", "tree", "nvls", "nvls tree", "hierarchical ring", "pat", "pairwise", "send"; "none" = takes no time
  std::string_view protocol;    // "LL", "LL128", "Simple"; empty if algorithm is "none"
  Provenance provenance = Provenance::analytic;
};

/// `bytes` >= 0; up to 2^50 without overflow. A group of one and a size of zero take no time. Never faster for more bytes, never
/// slower for more bandwidth. Throws InternalError for a send_recv among more than two.
CollectiveCost collective(CollectiveOp, Bytes bytes, const Placement&, const HwProfile&);

/// busbw factor of nccl-tests: 2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter, all_to_all, 1 for the others.
double bus_factor(CollectiveOp, std::int64_t ranks);

/// busbw as nccl-tests prints it: bytes / time * bus_factor. `time` > 0.
Bandwidth bus_bandwidth(CollectiveOp, Bytes bytes, std::int64_t ranks, Time time);

}  // namespace moesim
