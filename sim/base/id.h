// Integers that do not mix: a Rank is not a StreamId.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace moesim {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  constexpr std::size_t index() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::uint32_t value_ = 0;
};

using Rank = Id<struct RankTag>;          // one GPU of the world
using ExpertId = Id<struct ExpertTag>;    // one routed expert of a layer

}  // namespace moesim

template <class Tag>
struct std::hash<moesim::Id<Tag>> {
  std::size_t operator()(moesim::Id<Tag> id) const noexcept { return id.value(); }
};
