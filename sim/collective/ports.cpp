#include "collective/ports.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace moesim {
namespace {

using Wide = __int128;
constexpr double kByte = Transfer::Taken::value_type{1} << Transfer::kTakenBits;

/// Rounded down, so that rounding of its span never makes a lone transfer share with itself.
std::int64_t taken(double reach) { return static_cast<std::int64_t>(std::floor(kByte / std::min(1.0, reach))); }

}  // namespace

std::int64_t capacity(const HwProfile& hw, Port port) {
  const bool nic = port == Port::scale_out_out || port == Port::scale_out_in;
  if (port == Port::uplink_out || port == Port::uplink_in)
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(hw.scale_out.per_gpu.value.count() / hw.scale_out.topology.taper.value)));
  const double peak = nic ? hw.scale_out.per_gpu.value.count() : hw.scale_up.per_gpu.value.count();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(peak)));
}

PeakRates::PeakRates(const HwProfile& hw, const Reach& reach)
    : rate_{capacity(hw, Port::scale_up_out), capacity(hw, Port::scale_out_out), capacity(hw, Port::uplink_out)},
      taken_{moesim::taken(reach.up), moesim::taken(reach.out), moesim::taken(reach.uplinks * hw.scale_out.topology.spread)} {
  for (std::size_t fabric = 0; fabric < rate_.size(); ++fabric) {
    work_[fabric] = 1e12 * static_cast<double>(taken_[fabric]) / kByte;
    room_[fabric] = static_cast<double>(rate_[fabric]);
  }
}

Time PeakRates::passed(Time done, std::int64_t bytes, std::size_t fabric) const {
  const Wide rate = rate_[fabric], work = ((Wide{bytes} * taken_[fabric]) >> Transfer::kTakenBits) * kSecond.count();
  if (work <= Wide{done.count()} * rate) return done;
  const Wide needed = (work + rate - 1) / rate;
  if (needed > kLongestTime.count()) throw_too_long();
  return Time{static_cast<std::int64_t>(needed)};
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
    std::swap(l.bytes[4], l.bytes[5]);
    std::swap(l.out_seconds, l.in_seconds);
  }
}

double slowest(std::span<const PortLoad> loads) {
  double longest = 0;
  for (const PortLoad& l : loads) longest = std::max({longest, l.out_seconds, l.in_seconds});
  return longest;
}

Transfer to_transfer(Time latency, std::span<const PortLoad> loads, double share, const Reach& reach, const HwProfile& hw) {
  double sent = 0;
  for (const PortLoad& l : loads) sent = std::max(sent, l.out_seconds);
  const PeakRates peak(hw, reach);
  Transfer t;
  t.latency = latency;
  t.taken = peak.taken();
  t.members.resize(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Transfer::Member& m = t.members[i];
    m.bytes = loads[i].bytes;
    m.done = peak.not_before(time_from_seconds(std::max(sent, loads[i].in_seconds) / share), m);
    t.span = std::max(t.span, m.done);
  }
  return t;
}

Transfer to_transfer(Time latency, double seconds, std::vector<Transfer::Member> members, const Reach& reach, const HwProfile& hw) {
  const PeakRates peak(hw, reach);
  Transfer t;
  t.latency = latency;
  t.taken = peak.taken();
  t.span = time_from_seconds(seconds);
  for (const Transfer::Member& m : members) t.span = peak.not_before(t.span, m);
  for (Transfer::Member& m : members) m.done = t.span;
  t.members = std::move(members);
  return t;
}

}  // namespace moesim
