// Where a segment is that something runs beside, kernel by kernel.
#pragma once

#include "engine/beside.h"

namespace moesim::kernel {

struct Position {
  std::uint32_t kernel = 0;   // at work, or the next one
  Time launched{0};           // of that kernel, by the host
  bool begun = false;
  Time whole{0};              // of the kernel at work: what it takes at the pace at which
  Time rest{0};               // this much is left
  Time free{0};               // the stream is free from then on; of a kernel at work: it got to `rest` then
  Time busy{0};               // what its kernels took so far,
  double stolen = 0;          // of that, in ps: what they took longer for want of SMs

  static Position start(Time issued, Time ready) { return {0, issued, false, Time{0}, Time{0}, ready, Time{0}, 0}; }
  bool at_start() const { return kernel == 0 && !begun; }
};

/// Goes on at one pace until `until`. True if the segment is over by then: at `free`. A kernel that changes its pace rounds what is left up to
/// a picosecond.
bool go_on(Position&, const PacedSegment&, Time until);

}  // namespace moesim::kernel
