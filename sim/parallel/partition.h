// The coarsest equitable partition of the ranks: two ranks share a class only if they start with the same colour and, in each of their
// groups, see the same number of members of each class at each hop distance. `fold` simulates one actor a class.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"

namespace moesim {

struct PartitionInput {
  std::size_t ranks = 0;
  std::vector<std::uint64_t> colour;                    // initial colour of each rank: program, speed, load ...; empty = all alike
  /// For each kind of group: group of each rank (ranks outside any group: kNoGroup). Members need not be listed. Group numbers are
  /// below `ranks`.
  std::vector<std::vector<std::uint32_t>> group_of;
  /// Nested places of each rank, from near to far (node, leaf, ...): two ranks at the same place are at most that far apart. Place
  /// numbers are below `ranks`; two ranks that share no place are farthest apart. Two ranks of one node share its leaf, and so on.
  std::vector<std::vector<std::uint32_t>> place_of;
};
constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

struct Partition {
  std::vector<std::uint32_t> class_of;                  // of each rank; classes are numbered by their first rank
  std::vector<Rank> representative;                     // first rank of each class
  std::vector<std::uint32_t> size;                      // ranks in each class
};

/// O(ranks * kinds * (places + 1) * rounds). 131,072 ranks in well under a second. Throws InternalError for vectors of wrong length,
/// numbers out of range or places that are not nested.
Partition coarsest_equitable_partition(const PartitionInput&);

}  // namespace moesim
