#include "engine/kernel/filling.h"

#include <algorithm>

namespace moesim::kernel {
namespace {

constexpr Rate kMaxRate = Rate{1} << 100;  // of a transfer whose span is far too short for its bytes

/// level / full as a speed, rounded up; 0 <= level < full. Up, as levels are, so that an end that is a whole picosecond is not missed
/// by one; a port may be exceeded by less than a byte per second for it.
Speed fraction(Rate level, Rate full) {
  while (level >> 66) {  // both are huge: their low bits do not matter
    level >>= 1;
    full >>= 1;
  }
  return std::max<Speed>(1, static_cast<Speed>(((level << kSpeedBits) + (full - 1)) / full));
}

}  // namespace

Rate nominal_rate(std::int64_t bytes, Time span) {
  return std::min<Rate>(((Int128{bytes} * kSecond.count()) << kRateBits) / span.count(), kMaxRate);
}

void Filling::clear() {
  transfers_.clear();
  ports_.clear();
  loads_.clear();
}

std::uint32_t Filling::add_transfer(std::int64_t heaviest, Time span) {
  TransferState& t = transfers_.emplace_back();
  t.full = nominal_rate(heaviest, span);
  t.heaviest = heaviest;
  t.span = span;
  return static_cast<std::uint32_t>(transfers_.size() - 1);
}

void Filling::add_port(std::int64_t capacity) {
  PortState& p = ports_.emplace_back();
  p.left = Rate{capacity} << kRateBits;
  p.begin = p.end = static_cast<std::uint32_t>(loads_.size());
}

void Filling::add_load(std::uint32_t transfer, std::int64_t bytes) {
  TransferState& t = transfers_[transfer];
  PortState& p = ports_.back();
  const Int128 shifted = Int128{bytes} << kSpeedBits;
  const std::uint64_t weight =
      bytes == t.heaviest ? kFullSpeed : static_cast<std::uint64_t>((shifted + (t.heaviest - 1)) / t.heaviest);
  loads_.push_back({transfer, static_cast<std::uint32_t>(ports_.size() - 1), t.first, weight, bytes});
  t.first = p.end++;
  p.weights += weight;
}

void Filling::solve() {
  std::size_t left = transfers_.size();
  Rate level = 0;
  while (left > 0) {
    Rate next = 0;
    if (!lowest_level(next)) next = kMaxRate;
    level = std::max(level, next);  // rounding must not make the common rate fall
    const std::size_t at_full_speed = freeze_full(level);
    left -= at_full_speed > 0 ? at_full_speed : freeze_on_full_ports(next, level);
  }
}

/// The lowest common rate at which a port is full; false if no port has unfrozen transfers.
bool Filling::lowest_level(Rate& level) {
  bool found = false;
  for (PortState& p : ports_) {
    if (p.weights == 0) continue;
    if (p.stale) {
      p.level = ((std::max<Rate>(p.left, 0) << kSpeedBits) + (p.weights - 1)) / p.weights;
      p.stale = false;
    }
    if (!found || p.level < level) level = p.level;
    found = true;
  }
  return found;
}

std::size_t Filling::freeze_full(Rate level) {
  std::size_t count = 0;
  for (TransferState& t : transfers_) {
    if (t.frozen || t.full > level) continue;
    freeze(t, level, true);
    ++count;
  }
  return count;
}

/// Freezes at `rate` whatever loads a port that is full at `level`.
std::size_t Filling::freeze_on_full_ports(Rate level, Rate rate) {
  for (PortState& p : ports_) p.is_full = p.weights != 0 && p.level == level;  // before freezing changes the levels
  std::size_t count = 0;
  for (const PortState& p : ports_) {
    if (!p.is_full) continue;
    for (std::uint32_t i = p.begin; i < p.end; ++i) {
      TransferState& t = transfers_[loads_[i].transfer];
      if (t.frozen) continue;
      freeze(t, rate, false);
      ++count;
    }
  }
  return count;
}

void Filling::freeze(TransferState& t, Rate level, bool full) {
  t.frozen = true;
  t.speed = full ? kFullSpeed : fraction(level, t.full);
  for (std::uint32_t i = t.first; i != kNone; i = loads_[i].next) {
    const Load& load = loads_[i];
    PortState& p = ports_[load.port];
    p.left -= full ? nominal_rate(load.bytes, t.span) : (level * load.weight) >> kSpeedBits;
    p.weights -= load.weight;
    p.stale = true;
  }
}

}  // namespace moesim::kernel
