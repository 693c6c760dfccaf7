// What communication kernels take of the GPU that they run on.
#pragma once

#include "collective/collective.h"
#include "hw/stack.h"

namespace moesim {

/// SMs that NCCL's kernels hold: a channel is a thread block, and keeps multiplications off its SM. A group over several scale-up domains has
/// two channels for each of its NICs in a domain, but no fewer than `network_sms`.
std::int32_t collective_sms(CollectiveOp, const Placement&, const Stack&);

/// Times that a byte which passes a port of a member is read from or written to its memory: sent on or put down, it is read and written; summed up,
/// the other summand is read as well.
double memory_touches(CollectiveOp);

/// Thousandths of the peak memory bandwidth that the member with most bytes uses while they move, at full speed. A collective that shares its
/// ports uses less; that is left out.
std::int32_t memory_taken(const Transfer&, double touches, const HwProfile&);

}  // namespace moesim
