// What a transfer puts on the uplinks of the places that its group spans (`Placement::cut`).
//
// The uplinks of a place are one resource: routing spreads what leaves it over all of them, evenly or as far as hashing lets it (`Topology`). Each GPU of
// the place has an equal share of it as a port. A group's bytes are dealt out over the shares of its members there and of the groups of its kind
// that the job runs beside it; the fullest place sets what every member carries, so that members stay alike.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/placement.h"
#include "engine/transfer.h"

namespace moesim {

class Uplinks {
 public:
  explicit Uplinks(const Placement&);

  bool any() const { return cut_ != nullptr; }
  /// Bytes from one domain to another, over the uplinks if they lie in different places.
  void between(std::size_t from, std::size_t to, std::int64_t bytes);
  /// Each member sends to[d] bytes to domain d, of which its own domain's part stays.
  void from_all(std::span<const std::int64_t> to_domain);

  /// Of the fullest place, out and in.
  std::array<std::int64_t, 2> of_each_member() const;
  void load(std::vector<Transfer::Member>&) const;

 private:
  const Placement::Cut* cut_;
  std::vector<double> out_, in_;   // of each place
};

}  // namespace moesim
