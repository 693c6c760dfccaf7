#include "engine/kernel/contention.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace moesim::kernel {
namespace {

/// floor(bytes / span) <= capacity as Rates, without dividing.
bool fits_alone(std::int64_t bytes, Time span, std::int64_t capacity) {
  if (span.count() >> 59) return nominal_rate(bytes, span) <= Rate{capacity} << kRateBits;  // the product below would overflow
  const Int128 load = (Int128{bytes} * kSecond.count()) << kRateBits;
  return load < ((Int128{capacity} << kRateBits) + 1) * span.count();
}

}  // namespace

/// Calls f(port index, bytes of its capacity) for every load of the transfer.
template <class F>
void Contention::each_load(const Loads& loads, F&& f) const {
  for (std::size_t m = 0; m < loads.members.size(); ++m) {
    const Transfer::Member& member = loads.transfer->member(m);
    const std::uint32_t base = loads.members[m].value() * static_cast<std::uint32_t>(kPorts);
    for (std::uint32_t p = 0; p < kPorts; ++p) {
      if (member.bytes[p] != 0) f(base + p, loads.transfer->load(member, p));
    }
  }
  for (const Transfer::LinkLoad& l : loads.transfer->links)
    if (l.bytes != 0) f(first_link_ + l.link.value(), l.bytes);
}

/// Throws InternalError if the workload has no good answer.
std::int64_t Contention::ask_capacity(std::uint32_t port) const {
  const bool is_link = port >= first_link_;
  const ActorId actor{port / static_cast<std::uint32_t>(kPorts)};
  const std::int64_t bytes = is_link ? workload_.link_capacity(LinkId{port - first_link_}) : workload_.capacity(actor, static_cast<Port>(port % kPorts));
  if (bytes > 0) return bytes;
  const std::string what = is_link ? "a transfer loads link " + std::to_string(port - first_link_)
                                   : "actor " + std::to_string(actor.value()) + " loads port " + std::to_string(port % kPorts);
  throw InternalError("engine: " + what + " whose capacity is " + std::to_string(bytes) + " bytes/s");
}

std::int64_t Contention::capacity(std::uint32_t port) {
  PortState& p = ports_[port];
  if (p.capacity == 0) p.capacity = ask_capacity(port);
  return p.capacity;
}

void Contention::begin(std::uint32_t flight, std::span<const ActorId> members, const Transfer& transfer) {
  if (loads_.size() <= flight) loads_.resize(flight + 1);
  Loads& loads = loads_[flight];
  loads.members = members;
  loads.transfer = &transfer;
  loads.heaviest = 0;
  loads.full = -1;
  loads.speed = kFullSpeed;
  loads.rate = 0;
  each_load(loads, [&](std::uint32_t port, std::int64_t bytes) {
    if (port >= ports_.size()) throw InternalError("engine: a transfer loads link " + std::to_string(port - first_link_) + " of " + std::to_string(ports_.size() - first_link_));
    if (bytes < 0) throw InternalError("engine: a transfer loads a port with " + std::to_string(bytes) + " bytes");
    loads.heaviest = std::max(loads.heaviest, bytes);
  });
  each_load(loads, [&](std::uint32_t port, std::int64_t bytes) {
    if (capacity(port) < kUnlimited) add_use(port, flight, bytes);
  });
}

void Contention::end(std::uint32_t flight) {
  Loads& loads = loads_[flight];
  each_load(loads, [&](std::uint32_t port, std::int64_t) {
    if (ports_[port].capacity < kUnlimited) remove_use(port, flight);
  });
  loads.transfer = nullptr;
}

Rate Contention::nominal(const Use& use) const { return nominal_rate(use.bytes, loads_[use.flight].transfer->span); }

void Contention::add_use(std::uint32_t port, std::uint32_t flight, std::int64_t bytes) {
  std::uint32_t index = free_use_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(uses_.size());
    uses_.emplace_back();
  } else {
    free_use_ = uses_[index].next;
  }
  PortState& p = ports_[port];
  uses_[index] = {flight, p.first, bytes};
  if (p.users == 0) {
    p.binds = !fits_alone(bytes, loads_[flight].transfer->span, p.capacity);
  } else {
    if (p.users == 1) p.demand = nominal(uses_[p.first]);
    p.demand += nominal(uses_[index]);
    p.binds = p.demand > Rate{p.capacity} << kRateBits;
  }
  p.first = index;
  ++p.users;
  if (!p.binds) return;
  unchanged_below_ = 0;
  mark_users(p);
}

void Contention::remove_use(std::uint32_t port, std::uint32_t flight) {
  PortState& p = ports_[port];
  std::uint32_t* link = &p.first;
  while (uses_[*link].flight != flight) link = &uses_[*link].next;
  const std::uint32_t index = *link;
  *link = uses_[index].next;
  if (p.binds) {
    unchanged_below_ = std::min(unchanged_below_, loads_[flight].rate);
    mark_users(p);  // those that stay
  }
  if (--p.users >= 2) {
    p.demand -= nominal(uses_[index]);
    p.binds = p.demand > Rate{p.capacity} << kRateBits;
  } else {
    p.binds = p.users == 1 && !fits_alone(uses_[p.first].bytes, loads_[uses_[p.first].flight].transfer->span, p.capacity);
  }
  uses_[index].next = free_use_;
  free_use_ = index;
}

void Contention::mark_users(const PortState& p) {
  for (std::uint32_t i = p.first; i != kNone; i = uses_[i].next) mark(uses_[i].flight);
}

void Contention::mark(std::uint32_t flight) {
  if (loads_[flight].dirty) return;
  loads_[flight].dirty = true;
  dirty_.push_back(flight);
}

std::span<const Contention::Change> Contention::solve() {
  changes_.clear();
  ++epoch_;
  for (const std::uint32_t seed : dirty_) {
    loads_[seed].dirty = false;
    if (!loads_[seed].transfer || loads_[seed].epoch == epoch_ || is_settled(loads_[seed])) continue;
    ++solves_;
    filling_.clear();
    component_.clear();
    local(seed);
    for (std::size_t i = 0; i < component_.size(); ++i) collect(component_[i]);
    filling_.solve();
    for (const std::uint32_t flight : component_) {
      loads_[flight].rate = filling_.rate(loads_[flight].local);
      const Speed speed = filling_.speed(loads_[flight].local);
      if (speed == loads_[flight].speed) continue;
      loads_[flight].speed = speed;
      changes_.push_back({flight, speed});
    }
  }
  dirty_.clear();
  unchanged_below_ = kNothingChanged;
  return changes_;
}

/// The transfer's index in the component, which it joins if it is new there.
std::uint32_t Contention::local(std::uint32_t flight) {
  Loads& loads = loads_[flight];
  if (loads.epoch != epoch_) {
    loads.epoch = epoch_;
    if (loads.full < 0) loads.full = nominal_rate(loads.heaviest, loads.transfer->span);
    loads.local = filling_.add_transfer(loads.heaviest, loads.transfer->span, loads.full);
    component_.push_back(flight);
  }
  return loads.local;
}

/// Adds the binding ports of a transfer, and whoever else loads them, to the component.
void Contention::collect(std::uint32_t flight) {
  each_load(loads_[flight], [&](std::uint32_t port, std::int64_t) {
    PortState& p = ports_[port];
    if (!p.binds || p.epoch == epoch_) return;
    p.epoch = epoch_;
    collect_port(port);
  });
}

void Contention::collect_port(std::uint32_t port) {
  const PortState& p = ports_[port];
  filling_.add_port(p.capacity);
  for (std::uint32_t i = p.first; i != kNone; i = uses_[i].next) {
    const Loads& loads = loads_[uses_[i].flight];
    if (is_settled(loads)) filling_.add_settled_load(uses_[i].bytes, loads.heaviest, loads.transfer->span, loads.speed, loads.rate);
    else filling_.add_load(local(uses_[i].flight), uses_[i].bytes);
  }
}

}  // namespace moesim::kernel
