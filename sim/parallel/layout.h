// The world cut into process groups exactly as Megatron-LM does (parallel_state.py): two grids over the same ranks with one order
// string, leftmost varying fastest. Attention grid: tp-cp-dp-pp (ep = 1). Expert grid: etp-ep-edp-pp (cp = 1).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace moesim {

struct ParallelSizes {
  std::int64_t gpus = 1;
  std::int64_t tp = 1, pp = 1, cp = 1, ep = 1;
  std::int64_t etp = 0;                       // 0 = as tp
  std::int64_t vpp = 1;                       // model chunks per pipeline rank
  std::string order = "tp-cp-ep-dp-pp";       // any permutation; Megatron's other one is "tp-cp-ep-pp-dp"
};
constexpr std::int64_t kMaxGpus = std::int64_t{1} << 20;

enum class GroupKind : std::uint8_t { tp, cp, dp, dp_cp, pp, tp_cp, tp_pp, embedding, ep, etp, tp_ep, edp };
constexpr std::size_t kGroupKinds = 12;
std::string_view name(GroupKind);

struct Coordinates {   // of one rank in both grids; pp is the same in both
  std::int64_t tp = 0, cp = 0, dp = 0, pp = 0;
  std::int64_t etp = 0, ep = 0, edp = 0;
  bool operator==(const Coordinates&) const = default;
};

class ParallelLayout {
 public:
  /// Throws InputError with the rule that is broken and its numbers, for example
  /// `gpus 100 is not divisible by tp * cp * pp = 2 * 1 * 8 = 16`.
  explicit ParallelLayout(ParallelSizes);

  const ParallelSizes& sizes() const { return sizes_; }   // etp resolved
  std::int64_t dp() const { return dp_; }
  std::int64_t edp() const { return edp_; }

  Coordinates coordinates(Rank) const;
  /// Groups of a kind are numbered as Megatron creates them, which is by their first rank.
  std::size_t group_count(GroupKind) const;
  std::int64_t group_size(GroupKind) const;
  /// False only for `embedding` on stages that are neither the first nor the last.
  bool in_group(GroupKind, Rank) const;
  /// O(1). Throws InternalError for a rank that is not in_group.
  std::size_t group_of(GroupKind, Rank) const;
  /// Position of the rank in members(kind, group_of(kind, rank)). O(1).
  std::int64_t index_in_group(GroupKind, Rank) const;
  std::vector<Rank> members(GroupKind, std::size_t group) const;  // in group order: ascending ranks

 private:
  struct Axis {
    std::uint8_t dimension = 0;               // bit in a group's mask
    std::int64_t size = 1, stride = 1;
    std::int64_t of(std::int64_t rank) const { return rank / stride % size; }
  };
  using Grid = std::array<Axis, 5>;           // leftmost of the order string first

  static Grid make_grid(const std::array<std::uint8_t, 5>& order, const std::array<std::int64_t, 5>& sizes);
  static std::int64_t coordinate(const Grid&, std::uint8_t dimension, std::int64_t rank);
  const Grid& grid_of(GroupKind) const;
  void check_pipeline_groups() const;

  ParallelSizes sizes_;
  std::int64_t dp_ = 1, edp_ = 1;
  Grid attention_{}, expert_{};
};

}  // namespace moesim
