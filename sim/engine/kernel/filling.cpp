#include "engine/kernel/filling.h"

#include <algorithm>
#include <numeric>

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

/// bytes / heaviest as a 60-bit fraction, rounded up.
std::uint64_t weight_of(std::int64_t bytes, std::int64_t heaviest) {
  if (bytes == heaviest) return kFullSpeed;
  return static_cast<std::uint64_t>(((Int128{bytes} << kSpeedBits) + (heaviest - 1)) / heaviest);
}

/// What a transfer that moves at `rate` takes of a port; at full speed, what it takes there alone.
Rate taken(std::int64_t bytes, std::uint64_t weight, Time span, bool full_speed, Rate rate) {
  if (weight == kFullSpeed) return rate;
  return full_speed ? nominal_rate(bytes, span) : (rate * weight) >> kSpeedBits;
}

/// For heaps with the lowest rate first.
constexpr auto kHigher = [](const auto& a, const auto& b) { return a.rate > b.rate; };

}  // namespace

Rate nominal_rate(std::int64_t bytes, Time span) {
  return std::min<Rate>(((Int128{bytes} * kSecond.count()) << kRateBits) / span.count(), kMaxRate);
}

void Filling::clear() {
  transfers_.clear();
  ports_.clear();
  loads_.clear();
}

std::uint32_t Filling::add_transfer(std::int64_t heaviest, Time span, Rate full) {
  TransferState& t = transfers_.emplace_back();
  t.full = full;
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
  const std::uint64_t weight = weight_of(bytes, t.heaviest);
  loads_.push_back({transfer, static_cast<std::uint32_t>(ports_.size() - 1), t.first, weight, bytes});
  t.first = p.end++;
  p.weights += weight;
}

void Filling::add_settled_load(std::int64_t bytes, std::int64_t heaviest, Time span, Speed speed, Rate rate) {
  ports_.back().left -= taken(bytes, weight_of(bytes, heaviest), span, speed == kFullSpeed, rate);
}

void Filling::solve() {
  begin();
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

void Filling::begin() {
  levels_.clear();
  full_.clear();
  stale_.resize(ports_.size());
  std::iota(stale_.begin(), stale_.end(), 0U);
  for (std::uint32_t t = 0; t < transfers_.size(); ++t) full_.push_back({transfers_[t].full, t});
  std::make_heap(full_.begin(), full_.end(), kHigher);
}

/// Of the ports whose transfers or room have changed.
void Filling::find_levels() {
  for (const std::uint32_t i : stale_) {
    PortState& p = ports_[i];
    p.stale = false;
    ++p.version;
    if (p.weights == 0) continue;
    const Rate level = ((std::max<Rate>(p.left, 0) << kSpeedBits) + (p.weights - 1)) / p.weights;
    levels_.push_back({level, i, p.version});
    std::push_heap(levels_.begin(), levels_.end(), kHigher);
  }
  stale_.clear();
}

/// The lowest common rate at which a port is full; false if no port has unfrozen transfers.
bool Filling::lowest_level(Rate& level) {
  find_levels();
  while (!levels_.empty() && levels_.front().version != ports_[levels_.front().port].version) {
    std::pop_heap(levels_.begin(), levels_.end(), kHigher);
    levels_.pop_back();
  }
  if (levels_.empty()) return false;
  level = levels_.front().rate;
  return true;
}

std::size_t Filling::freeze_full(Rate level) {
  std::size_t count = 0;
  while (!full_.empty() && full_.front().rate <= level) {
    TransferState& t = transfers_[full_.front().transfer];
    std::pop_heap(full_.begin(), full_.end(), kHigher);
    full_.pop_back();
    if (t.frozen) continue;
    freeze(t, level, true);
    ++count;
  }
  return count;
}

/// Freezes at `rate` whatever loads a port that is full at `level`.
std::size_t Filling::freeze_on_full_ports(Rate level, Rate rate) {
  full_ports_.clear();                            // all of them before freezing changes the levels
  while (!levels_.empty() && levels_.front().rate == level) {
    const Level& l = levels_.front();
    if (l.version == ports_[l.port].version) full_ports_.push_back(l.port);
    std::pop_heap(levels_.begin(), levels_.end(), kHigher);
    levels_.pop_back();
  }
  std::size_t count = 0;
  for (const std::uint32_t port : full_ports_) {
    const PortState& p = ports_[port];
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
  t.rate = full ? t.full : level;
  for (std::uint32_t i = t.first; i != kNone; i = loads_[i].next) {
    const Load& load = loads_[i];
    PortState& p = ports_[load.port];
    p.left -= taken(load.bytes, load.weight, t.span, full, t.rate);
    p.weights -= load.weight;
    if (p.stale) continue;
    p.stale = true;
    stale_.push_back(load.port);
  }
}

}  // namespace moesim::kernel
