#include "engine/fluid.h"

#include <algorithm>
#include <limits>

namespace moesim {
namespace {

constexpr int kWeightBits = 32;

/// What one byte per second on the flow's heaviest load means on this port.
Wide weight(const FluidFlow& f, const FluidLoad& l) { return (Wide(l.bytes) << kWeightBits) / f.heaviest; }

}  // namespace

FluidSolver::FluidSolver(std::vector<std::int64_t> capacity) : capacity_(std::move(capacity)), ports_(capacity_.size()) {}

void FluidSolver::start(std::span<FluidFlow* const> flows) {
  ++round_;
  touched_.clear();
  open_.assign(flows.begin(), flows.end());
  for (const FluidFlow* f : flows)
    for (const FluidLoad& l : f->loads) {
      PortState& p = ports_[l.port];
      if (p.round != round_) {
        p = {0, 0, round_};
        touched_.push_back(l.port);
      }
      p.weight += weight(*f, l);
    }
}

/// The lowest level at which an open port fills or an open flow reaches its own limit.
std::int64_t FluidSolver::level() const {
  Wide least = std::numeric_limits<std::int64_t>::max();
  for (const std::uint32_t port : touched_) {
    const PortState& p = ports_[port];
    if (p.weight > 0) least = std::min(least, std::max<Wide>(0, (Wide(capacity_[port]) << kWeightBits) - p.used) / p.weight);
  }
  for (const FluidFlow* f : open_) least = std::min<Wide>(least, f->alone);
  return static_cast<std::int64_t>(least);
}

void FluidSolver::freeze(FluidFlow& f, std::int64_t rate) {
  for (const FluidLoad& l : f.loads) {
    PortState& p = ports_[l.port];
    const Wide w = weight(f, l);
    p.weight -= w;
    p.used += w * rate;
  }
  f.speed = rate >= f.alone ? kFullSpeed : std::max<std::int64_t>(1, static_cast<std::int64_t>((Wide(rate) << kSpeedBits) / f.alone));
}

void FluidSolver::solve(std::span<FluidFlow* const> flows) {
  start(flows);
  std::vector<std::uint32_t> full;
  while (!open_.empty()) {
    const std::int64_t now = level();
    full.clear();
    for (const std::uint32_t port : touched_) {
      const PortState& p = ports_[port];
      if (p.weight > 0 && std::max<Wide>(0, (Wide(capacity_[port]) << kWeightBits) - p.used) / p.weight == now) full.push_back(port);
    }
    std::sort(full.begin(), full.end());
    const auto frozen = [&](FluidFlow* f) {
      return f->alone == now || std::any_of(f->loads.begin(), f->loads.end(), [&](const FluidLoad& l) { return std::binary_search(full.begin(), full.end(), l.port); });
    };
    const auto keep = std::partition(open_.begin(), open_.end(), [&](FluidFlow* f) { return !frozen(f); });
    for (auto it = keep; it != open_.end(); ++it) freeze(**it, now);
    open_.erase(keep, open_.end());
  }
}

}  // namespace moesim
