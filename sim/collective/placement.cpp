#include "collective/placement.h"

#include <algorithm>
#include <unordered_map>

#include "hw/topology.h"

namespace moesim {
namespace {

/// Latency of the nearest fabric level that holds all members; beyond the last level, that of the last.
Time farthest(std::span<const Rank> members, const std::vector<FabricLevel>& levels) {
  for (const FabricLevel& level : levels) {
    const auto place_of = [&](Rank r) { return level.gpus == 0 ? 0 : static_cast<std::int64_t>(r.value()) / level.gpus; };
    const std::int64_t first = place_of(members.front());
    if (std::all_of(members.begin(), members.end(), [&](Rank r) { return place_of(r) == first; })) return level.latency.value;
  }
  return levels.empty() ? Time{0} : levels.back().latency.value;
}

std::optional<Placement::Cut> cut(std::span<const Rank> members, const Placement& p, const HwProfile& hw, std::int64_t job) {
  if (p.domains == 1 || !Topology(hw).binds()) return std::nullopt;
  const std::int64_t gpus = gpus_below_uplinks(hw);
  Placement::Cut out;
  out.place_of.resize(static_cast<std::size_t>(p.domains));
  std::unordered_map<std::int64_t, std::size_t> index_of;
  std::int64_t ranks = job;
  if (job == 0)
    for (const Rank r : members) ranks = std::max(ranks, static_cast<std::int64_t>(r.value()) + 1);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::int64_t place = static_cast<std::int64_t>(members[m].value()) / gpus;
    const std::size_t index = index_of.emplace(place, out.places.size()).first->second;
    if (index == out.places.size()) out.places.push_back({0, static_cast<double>(std::min(gpus, ranks - place * gpus)) / static_cast<double>(gpus)});
    ++out.places[index].members;
    out.place_of[static_cast<std::size_t>(p.domain_of[m])] = index;
  }
  if (out.places.size() == 1) return std::nullopt;
  for (Placement::Cut::Place& l : out.places) l.crowd /= static_cast<double>(l.members);
  return out;
}

}  // namespace

bool Placement::symmetric() const {
  return std::all_of(in_domain.begin(), in_domain.end(), [&](std::int64_t m) { return m == in_domain.front(); });
}

Placement place(std::span<const Rank> members, const HwProfile& hw, std::int64_t job) {
  Placement p;
  p.ranks = static_cast<std::int64_t>(members.size());
  p.domain_of.reserve(members.size());
  std::unordered_map<std::int64_t, std::int64_t> index_of;
  for (const Rank r : members) {
    const std::int64_t domain = static_cast<std::int64_t>(r.value()) / hw.scale_up.domain;
    const std::int64_t index = index_of.emplace(domain, static_cast<std::int64_t>(p.in_domain.size())).first->second;
    if (index == static_cast<std::int64_t>(p.in_domain.size())) p.in_domain.push_back(0);
    ++p.in_domain[static_cast<std::size_t>(index)];
    p.domain_of.push_back(index);
  }
  p.domains = static_cast<std::int64_t>(p.in_domain.size());
  if (p.domains > 1) p.network_latency = farthest(members, hw.scale_out.levels);
  p.cut = cut(members, p, hw, job);
  return p;
}

}  // namespace moesim
