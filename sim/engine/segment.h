// A run of kernels on one stream without an edge to another stream, as one max-plus map on (host clock h, device clock d):
//
//   h' = h + host          d' = max(d + device, h + lag)
//
// host = sum of host times, device = sum of device times, lag = the largest (host time up to and including the launch of kernel i,
// + device time of kernels i, i+1, ...). So launch stalls come out exactly, in O(1), and maps compose.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace moesim {

struct Segment {
  Time host{0};
  Time device{0};
  Time lag{0};
  std::uint32_t kernels = 0;

  /// One kernel: the host spends `host` to launch it, the device `device` to run it.
  static constexpr Segment kernel(Time host, Time device) { return {host, device, host + device, 1}; }

  /// This segment followed by `next` on the same stream. Throws TooLong.
  constexpr Segment then(const Segment& next) const {
    return {checked(host + next.host), checked(device + next.device), checked(std::max(lag + next.device, host + next.lag)), kernels + next.kernels};
  }

  constexpr bool operator==(const Segment&) const = default;
};

}  // namespace moesim
