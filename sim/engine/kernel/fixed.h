// The integers in which progress is counted. Sums of integers do not depend on their order, products here never round, so symmetric
// copies of a problem give identical picoseconds.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace moesim::kernel {

__extension__ typedef __int128 Int128;

/// Speed of a transfer as a 60-bit fraction of its speed when alone.
using Speed = std::uint64_t;
constexpr unsigned kSpeedBits = 60;
constexpr Speed kFullSpeed = Speed{1} << kSpeedBits;

/// Progress of a transfer in 2^-60 ps of alone-time: elapsed time times speed, exactly.
using Progress = Int128;
constexpr Progress progress_at(Time alone) { return Progress{alone.count()} << kSpeedBits; }

/// Picoseconds that it takes to cover `rest` >= 0 at `speed` > 0, rounded up; may be more than a Time can hold.
constexpr Int128 time_for(Progress rest, Speed speed) {
  if (speed == kFullSpeed) return (rest + (kFullSpeed - 1)) >> kSpeedBits;
  return (rest + (speed - 1)) / speed;
}

}  // namespace moesim::kernel
