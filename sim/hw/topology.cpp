#include "hw/topology.h"

#include <algorithm>

namespace moesim {
namespace {

/// Switches between GPUs whose nearest common place is of level `i`. A tree: up i levels and down again. A dragonfly: one, two inside a group, and the
/// gateways of both groups; a dragonfly+ has a tree of two levels for a group.
std::int64_t switches_passed(FabricKind kind, std::int64_t i) {
  switch (kind) {
    case FabricKind::dragonfly: return std::min<std::int64_t>(i, 1) + 1 + 2 * std::max<std::int64_t>(0, i - 1);
    case FabricKind::dragonfly_plus: return i < 2 ? 2 * i + 1 : 4 + 2 * (i - 2);
    case FabricKind::tree:
    case FabricKind::rail_tree: break;
  }
  return 2 * i + 1;
}

}  // namespace

std::int64_t gpus_below_uplinks(const HwProfile& hw) {
  const std::size_t n = hw.scale_out.levels.size();
  return n < 2 ? hw.scale_up.domain : hw.scale_out.levels[n - 2].gpus;
}

std::optional<std::int64_t> even_domain(std::int64_t gpus, const HwProfile& hw) {
  const std::int64_t domain = hw.scale_up.domain, node = hw.gpus_per_node;
  if (gpus <= domain || gpus % domain == 0) return std::nullopt;
  for (std::int64_t n = domain - 1; n > 1; --n)
    if (gpus % n == 0 && (n % node == 0 || node % n == 0)) return n;
  return std::nullopt;
}

Topology::Topology(const HwProfile& hw) : hw_(hw) {
  const std::vector<FabricLevel>& of = hw.scale_out.levels;
  for (std::size_t i = 0; i < of.size(); ++i) {
    Level l{of[i].name, of[i].gpus, switches_passed(hw.scale_out.topology.kind, static_cast<std::int64_t>(i)), of[i].latency.value, Time{0}};
    if (i > 0) l.per_hop = Time{std::max<std::int64_t>(0, (l.latency - levels_.front().latency).count() / (l.switches - levels_.front().switches))};
    levels_.push_back(l);
  }
}

Route Topology::route(Rank from, Rank to) const {
  const auto a = static_cast<std::int64_t>(from.value()), b = static_cast<std::int64_t>(to.value());
  Route out;
  if (a / hw_.scale_up.domain == b / hw_.scale_up.domain) {
    const bool behind_switch = a != b && hw_.scale_up.kind != ScaleUpKind::mesh;
    out.switches = behind_switch ? 1 : 0;
    if (a != b) out.latency = hw_.scale_up.hop_latency.value;
    out.rate = hw_.scale_up.per_pair.value;
    return out;
  }
  std::size_t i = 0;
  while (i + 1 < levels_.size() && a / levels_[i].gpus != b / levels_[i].gpus) ++i;
  out.rate = hw_.scale_out.per_gpu.value;
  if (levels_.empty()) return out;
  out.level = static_cast<std::int64_t>(i);
  out.switches = levels_[i].switches;
  out.latency = levels_[i].latency;
  out.over_uplinks = i + 1 == levels_.size();
  return out;
}

std::int64_t Topology::gpus_below() const { return gpus_below_uplinks(hw_); }

double Topology::uplinks() const { return static_cast<double>(gpus_below()) / hw_.scale_out.topology.taper.value; }

double Topology::uplink_share() const { return hw_.scale_out.topology.spread / hw_.scale_out.topology.taper.value; }

}  // namespace moesim
