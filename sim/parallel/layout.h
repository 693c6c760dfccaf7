// The world cut into process groups exactly as Megatron-LM does (parallel_state.py): two grids over the same ranks with one order
// string, leftmost varying fastest. Attention grid: tp-cp-dp-pp (ep = 1). Expert grid: etp-ep-edp-pp (cp = 1).
#pragma once

#include <cstdint>
#include <span>
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
  std::string order = "tp-cp-ep-dp-pp";       // or "tp-cp-ep-pp-dp"
};

enum class GroupKind : std::uint8_t { tp, cp, dp, dp_cp, pp, tp_cp, tp_pp, embedding, ep, etp, tp_ep, edp };
constexpr std::size_t kGroupKinds = 12;
std::string_view name(GroupKind);

struct Coordinates {   // of one rank in both grids
  std::int64_t tp = 0, cp = 0, dp = 0, pp = 0;
  std::int64_t etp = 0, ep = 0, edp = 0;
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
  std::size_t group_count(GroupKind) const;
  std::size_t group_of(GroupKind, Rank) const;                 // O(1)
  std::vector<Rank> members(GroupKind, std::size_t group) const;  // in group order
  std::int64_t group_size(GroupKind) const;

 private:
  ParallelSizes sizes_;
  std::int64_t dp_ = 1, edp_ = 1;
};

}  // namespace moesim
