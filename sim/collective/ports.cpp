#include "collective/ports.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace moesim {
namespace {

using Wide = __int128;

/// The shortest time in which the ports could carry the member's bytes at their peak: no transfer is faster, whatever its efficiency.
Time floor_of(const Transfer::Member& m, const HwProfile& hw) {
  Time longest{0};
  for (std::size_t p = 0; p < kPorts; ++p) {
    const Wide rate = capacity(hw, static_cast<Port>(p));
    const Wide picoseconds = (Wide{m.bytes[p]} * kSecond.count() + rate - 1) / rate;
    longest = std::max(longest, Time{static_cast<std::int64_t>(picoseconds)});
  }
  return longest;
}

}  // namespace

std::int64_t capacity(const HwProfile& hw, Port port) {
  const bool nic = port == Port::scale_out_out || port == Port::scale_out_in;
  const double peak = nic ? hw.scale_out.per_gpu.value.count() : hw.scale_up.per_gpu.value.count();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(peak)));
}

std::int64_t share_of(std::int64_t bytes, std::int64_t numerator, std::int64_t denominator) {
  return static_cast<std::int64_t>((Wide{bytes} * numerator + denominator - 1) / denominator);
}

double domain_rate(const HwProfile& hw, std::int64_t members) {
  const double all = hw.scale_up.per_gpu.value.count();
  return std::min(all, hw.scale_up.per_pair.value.count() * static_cast<double>(members - 1));
}

void reverse(std::vector<PortLoad>& loads) {
  for (PortLoad& l : loads) {
    std::swap(l.bytes[0], l.bytes[1]);
    std::swap(l.bytes[2], l.bytes[3]);
    std::swap(l.out_seconds, l.in_seconds);
  }
}

double slowest(std::span<const PortLoad> loads) {
  double longest = 0;
  for (const PortLoad& l : loads) longest = std::max({longest, l.out_seconds, l.in_seconds});
  return longest;
}

Transfer to_transfer(Time latency, std::span<const PortLoad> loads, double share, const HwProfile& hw) {
  double sent = 0;
  for (const PortLoad& l : loads) sent = std::max(sent, l.out_seconds);
  Transfer t;
  t.latency = latency;
  t.members.reserve(loads.size());
  for (const PortLoad& l : loads) {
    Transfer::Member m;
    m.bytes = l.bytes;
    m.done = std::max(time_from_seconds(std::max(sent, l.in_seconds) / share), floor_of(m, hw));
    t.span = std::max(t.span, m.done);
    t.members.push_back(m);
  }
  return t;
}

Transfer to_transfer(Time latency, double seconds, std::vector<Transfer::Member> members, const HwProfile& hw) {
  Transfer t;
  t.latency = latency;
  t.span = time_from_seconds(seconds);
  for (const Transfer::Member& m : members) t.span = std::max(t.span, floor_of(m, hw));
  for (Transfer::Member& m : members) m.done = t.span;
  t.members = std::move(members);
  return t;
}

}  // namespace moesim
