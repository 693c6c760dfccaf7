#include "collective/placement.h"

#include <algorithm>
#include <unordered_map>

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

}  // namespace

bool Placement::symmetric() const {
  return std::all_of(in_domain.begin(), in_domain.end(), [&](std::int64_t m) { return m == in_domain.front(); });
}

Placement place(std::span<const Rank> members, const HwProfile& hw) {
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
  return p;
}

}  // namespace moesim
