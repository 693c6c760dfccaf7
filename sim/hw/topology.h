// Which switches join the GPUs of a machine, generated from its profile. GPUs are numbered through nodes, switches and groups in order.
//
// Inside a scale-up domain pairs have a link (mesh) or a switch. Above it a fabric of levels: places of a level hold whole places of the level before. Up to
// the last but one, fabrics are built with as much bandwidth as their NICs have; the last level may have less: the `taper` of the uplinks that lead
// from the places below into it. (A fat tree: leaf to spine; a dragonfly: global links.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "hw/profile.h"

namespace moesim {

/// How a message gets from one GPU to another.
struct Route {
  static constexpr std::int64_t kInside = -1;
  std::int64_t level = kInside;   // nearest level of the fabric that holds both; kInside: one scale-up domain
  std::int64_t switches = 0;      // that it passes on a shortest way
  Time latency{0};                // end to end over the fabric; a hop inside a domain
  Bandwidth rate{0};              // of one message alone, at the peak of the slowest link
  bool over_uplinks = false;      // crosses the last level
};

class Topology {
 public:
  /// The profile must outlive it.
  explicit Topology(const HwProfile&);

  Route route(Rank from, Rank to) const;

  struct Level {
    std::string_view name;
    std::int64_t gpus = 0;        // of a place, 0 = all
    std::int64_t switches = 0;    // on a way between its farthest GPUs
    Time latency{0}, per_hop{0};  // end to end; what each link between switches adds to the first level
  };
  const std::vector<Level>& levels() const { return levels_; }

  /// GPUs whose NICs share the uplinks into the last level.
  std::int64_t gpus_below() const;
  /// Links of the speed of a GPU's NIC that lead from there into the last level.
  double uplinks() const;
  /// Of the bandwidth of their NICs, what the GPUs of a full place get over its uplinks: 1 / taper, and what hashing leaves of it.
  double uplink_share() const;
  /// A transfer over the last level may have to wait for the uplinks.
  bool binds() const { return uplink_share() < 1; }

 private:
  const HwProfile& hw_;
  std::vector<Level> levels_;
};

/// GPUs of each scale-up domain with which a job of `gpus` has as many in every one, the most that a node's GPUs divide or are divided by;
/// nothing if it fills its domains as it is, or if only one a domain would do.
std::optional<std::int64_t> even_domain(std::int64_t gpus, const HwProfile&);

/// GPUs whose NICs share the uplinks into the last level of a profile.
std::int64_t gpus_below_uplinks(const HwProfile&);

}  // namespace moesim
