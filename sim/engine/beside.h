// Kernels beside communication: what a transfer takes of an actor while it runs, and how long kernels take meanwhile.
//
// A segment that nothing runs beside is one max-plus map (segment.h). When something begins or ends beside it, it is taken apart into its kernels:
// the one at work has the rest of its work before it, which goes on at the pace of what is left of the actor; the next ones start at that pace.
#pragma once

#include <cstdint>
#include <span>

#include "engine/segment.h"

namespace moesim {

/// What transfers on the other streams of an actor take of it, in units of the workload's; what several take adds up.
struct Beside {
  std::int32_t sms = 0;      // multiprocessors that their kernels hold, from when they join
  std::int32_t margin = 0;   // the same, of those that kernels are told to leave free
  std::int32_t memory = 0;   // memory bandwidth that they use while they move
  constexpr bool operator==(const Beside&) const = default;
  constexpr bool nothing() const { return sms == 0 && margin == 0 && memory == 0; }
  constexpr Beside& operator+=(const Beside& o) { return sms += o.sms, margin += o.margin, memory += o.memory, *this; }
};

/// One kernel of a segment, or host work without one (all device times 0). alone <= by_sms <= beside.
struct PacedKernel {
  Time host{0};     // the host launches it that long after the kernel before
  Time alone{0};    // what it takes with nothing beside it,
  Time by_sms{0};   // with the SMs held, but all of the memory to itself,
  Time beside{0};   // and with both
};

/// A segment beside something.
struct PacedSegment {
  Segment segment;                        // as one map, while nothing changes
  Time by_sms{0};                         // sum over the kernels
  Time latency{0};                        // from the host's launch of a kernel to its earliest start
  std::span<const PacedKernel> kernels;   // in order
};

}  // namespace moesim
