// From tokens per expert to tokens per rank: what each rank of an EP group receives, computes and drops.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace moesim {

struct CapacityRule {
  std::optional<double> factor;   // nothing = dropless
  bool pad = false;               // pad every expert to its capacity
};

/// Megatron: ceil(tokens * top_k / num_experts * factor) on the tokens of one rank, of which an expert keeps that many by choosing among
/// them: at most all of them. Throws InputError unless factor > 0.
std::int64_t expert_capacity(std::int64_t tokens, std::int64_t top_k, std::int64_t num_experts, double factor);

struct RankLoad {
  std::int64_t tokens = 0;        // token copies that the rank's experts compute (after drops, with padding)
  std::int64_t received = 0;      // token copies that arrive (after drops, without padding)
  std::int64_t max_expert = 0;    // most loaded local expert, of what it computes
  std::int64_t touched = 0;       // local experts that compute anything
  bool operator==(const RankLoad&) const = default;
};

struct DispatchPlan {
  std::vector<RankLoad> ranks;    // one an EP rank, in group order
  std::int64_t routed = 0;        // sum of the counts: tokens * top_k
  std::int64_t dropped = 0;       // routed = dropped + sum of received
  bool operator==(const DispatchPlan&) const = default;
};

/// How an expert's tokens are spread over the source ranks of the group.
enum class SourceSpread : std::uint8_t {
  even,     // each source sends the same share (exact balance)
  random,   // tokens were dealt to the sources at random, so single sources exceed their capacity sooner than the group does
};

/// `counts` are token copies per expert over the whole group of `ep` ranks, experts placed in order, num_experts / ep a rank.
///
/// Capacity is a limit per source rank and expert, but the counts are totals over the sources. Of an expert with n copies a source keeps
/// min(x, capacity), where x = n / ep if the spread is even, and hypergeometric (n of ep * tokens_per_rank tokens) if it is random; then
/// the expected number kept, rounded, stands for all sources. At factor 1, 4096 tokens, top 8 of 128 on 16 ranks: 2.4 % dropped, of which
/// an even spread sees 0.6 %.
DispatchPlan plan_dispatch(std::span<const std::int64_t> counts, std::int64_t ep, std::int64_t tokens_per_rank, std::int64_t top_k,
                           const CapacityRule&, SourceSpread = SourceSpread::even);

/// Imbalance of counts: (max - mean) / mean and the Gini coefficient. Of nothing at all: 0, 0.
struct Imbalance { double max_vio = 0, gini = 0; };
Imbalance imbalance(std::span<const std::int64_t> counts);

/// Entropy of counts over log(number of counts); of nothing at all, 1.
double entropy(std::span<const std::int64_t> counts);

/// Expected number of distinct nodes (or ranks) that one token's top_k distinct experts touch when experts are chosen uniformly and
/// spread over `places` equal places: places * (1 - C(E - E/places, k) / C(E, k)). `limit` (group-limited routing) caps it, 0 = none:
/// groups win by their best experts, so nearly all chosen ones are used (8 groups of 32, 4 chosen, top 8: 3.96 of 4 by simulation).
double expected_places(std::int64_t num_experts, std::int64_t top_k, std::int64_t places, std::int64_t limit = 0);

}  // namespace moesim
