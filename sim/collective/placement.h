// How the members of a group lie on the machine. Rank r sits on GPU r: scale-up domain r / domain, fabric level places r / level.gpus.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "hw/profile.h"

namespace moesim {

struct Placement {
  std::int64_t ranks = 1;
  std::vector<std::int64_t> domain_of;   // of each member: index of its scale-up domain within the group, by first appearance
  std::vector<std::int64_t> in_domain;   // of each domain of the group: how many members
  std::int64_t domains = 1;
  Time network_latency{0};               // end to end between the farthest members; 0 within one domain

  /// How a group lies across places whose uplinks may be too few; nothing if it stays within one, or they never are.
  struct Cut {
    struct Place {
      std::int64_t members = 0;
      double crowd = 1;                    // GPUs of the job in the place for each member, over all GPUs that the place holds
    };
    std::vector<std::size_t> place_of;     // of each domain
    std::vector<Place> places;
  };
  std::optional<Cut> cut;

  std::int64_t peers_inside(std::size_t member) const { return members_beside(member) - 1; }
  /// Members in the domain of `member`, itself included.
  std::int64_t members_beside(std::size_t member) const { return in_domain[static_cast<std::size_t>(domain_of[member])]; }
  /// Every domain holds equally many members: then no collective can tell two members apart.
  bool symmetric() const;
};

/// O(members). Members may come in any order and need not be neighbours; at least one. `job`: ranks that run; 0 = up to the last member. What the job
/// has beside the group in a place is taken to do the same as the group at the same time: the other groups of its kind.
Placement place(std::span<const Rank> members, const HwProfile&, std::int64_t job = 0);

}  // namespace moesim
