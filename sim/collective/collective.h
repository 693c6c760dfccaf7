// Collectives and point-to-point as engine Transfers: latency, span and what each member's ports carry. Definitions follow
// nccl-tests: `bytes` is the whole buffer: for all_gather and reduce_scatter the gathered size, for all_to_all what one rank sends
// (its own share included), for send_recv the message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "collective/placement.h"
#include "engine/transfer.h"
#include "hw/profile.h"

namespace moesim {

enum class CollectiveOp : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };
std::string_view name(CollectiveOp);

struct CollectiveCost {
  Transfer transfer;
  std::string_view algorithm;   // "ring", "nvls", "hierarchical ring", "pairwise"
};

/// Throws nothing for valid groups; a group of one takes no time.
CollectiveCost collective(CollectiveOp, Bytes bytes, const Placement&, const HwProfile&);

/// busbw factor of nccl-tests: 2(n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter, all_to_all, 1 for send_recv.
double bus_factor(CollectiveOp, std::int64_t ranks);

}  // namespace moesim
