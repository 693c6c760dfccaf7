#include "moe/dispatch_plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/maths.h"

namespace moesim {
namespace {

/// Standard normal: probability of more than x >= 0. Abramowitz and Stegun 26.2.17, off by at most 7.5e-8.
double upper_tail(double x, double density) {
  const double t = 1 / (1 + 0.2316419 * x);
  return density * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}

/// Expected max(0, X - limit) of a normal X.
double expected_excess(double mean, double deviation, double limit) {
  const double d = (limit - mean) / deviation;
  if (d > 8) return 0;
  if (d < -8) return mean - limit;
  const double density = portable_exp(-d * d / 2) * 0.3989422804014327;   // 1 / sqrt(2 pi)
  const double more = d >= 0 ? upper_tail(d, density) : 1 - upper_tail(-d, density);
  return deviation * (density - d * more);
}

/// Copies of an expert, of `count` in all, that its sources keep together.
std::int64_t kept_by_sources(std::int64_t count, std::int64_t ep, std::int64_t tokens_per_rank, std::int64_t capacity, SourceSpread spread) {
  const std::int64_t even = std::min(count, ep * capacity);
  if (spread == SourceSpread::even || ep == 1 || capacity >= tokens_per_rank) return even;
  // A source holds tokens_per_rank of the group's tokens, count of which carry a copy for this expert.
  const double tokens = static_cast<double>(ep * tokens_per_rank), n = static_cast<double>(count), sources = static_cast<double>(ep);
  const double variance = n / sources * (1 - 1 / sources) * (tokens - n) / (tokens - 1);
  if (!(variance > 0)) return even;
  const double dropped = sources * expected_excess(n / sources, std::sqrt(variance), static_cast<double>(capacity));
  return std::clamp<std::int64_t>(count - static_cast<std::int64_t>(std::floor(dropped + 0.5)), 0, even);
}

/// The sum of |x_i - x_j| over unordered pairs of n counts: sorted, it is the sum of x_i (2 i + 1 - n).
double differences(std::vector<std::int64_t> counts) {
  std::sort(counts.begin(), counts.end());
  const double n = static_cast<double>(counts.size());
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += static_cast<double>(counts[i]) * (2 * static_cast<double>(i) + 1 - n);
  return sum;
}

/// The same of counts that lie close together, as those of one draw do: each step from a value to the next parts the counts in two, and
/// lies between all pairs across.
double differences_near(std::span<const std::int64_t> counts, std::int64_t least, std::int64_t range) {
  std::vector<std::uint32_t> found(static_cast<std::size_t>(range) + 1, 0);
  for (const std::int64_t c : counts) ++found[static_cast<std::size_t>(c - least)];
  const auto n = static_cast<std::uint32_t>(counts.size());   // below 2^16, so a product of two parts is below 2^32
  std::uint32_t below = 0;
  std::uint64_t sum = 0;
  for (const std::uint32_t f : found) {
    below += f;
    sum += std::uint64_t{below * (n - below)};
  }
  return static_cast<double>(sum);
}

/// Of a rank whose experts drop nothing.
RankLoad all_kept(std::span<const std::int64_t> counts) {
  RankLoad rank;
  for (const std::int64_t count : counts) {
    rank.tokens += count;
    rank.max_expert = std::max(rank.max_expert, count);
    rank.touched += count > 0;
  }
  rank.received = rank.tokens;
  return rank;
}

/// Adds an expert with `kept` of its copies left, of which `computed` with padding.
void add_expert(RankLoad& rank, std::int64_t kept, std::int64_t computed) {
  rank.received += kept;
  rank.tokens += computed;
  rank.max_expert = std::max(rank.max_expert, computed);
  rank.touched += computed > 0;
}

}  // namespace

std::int64_t expert_capacity(std::int64_t tokens, std::int64_t top_k, std::int64_t num_experts, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) {
    std::ostringstream found;
    found << factor;
    throw InputError("capacity_factor: found " + found.str() + ", allowed is a number above 0");
  }
  // The same order of operations as Megatron's, so that the same double is rounded up.
  const double capacity = std::ceil(static_cast<double>(tokens * top_k) / static_cast<double>(num_experts) * factor);
  return static_cast<std::int64_t>(std::min(capacity, static_cast<double>(tokens)));
}

DispatchPlan plan_dispatch(std::span<const std::int64_t> counts, std::int64_t ep, std::int64_t tokens_per_rank, std::int64_t top_k,
                           const CapacityRule& rule, SourceSpread spread) {
  const auto num_experts = static_cast<std::int64_t>(counts.size());
  if (ep < 1 || num_experts % ep != 0)
    throw InternalError(std::to_string(num_experts) + " experts do not divide over ep = " + std::to_string(ep));
  if (rule.pad && !rule.factor) throw InputError("padding experts to their capacity needs a capacity_factor");
  const std::int64_t capacity = rule.factor ? expert_capacity(tokens_per_rank, top_k, num_experts, *rule.factor) : 0;
  DispatchPlan plan;
  plan.ranks.resize(static_cast<std::size_t>(ep));
  const auto local = static_cast<std::size_t>(num_experts / ep);
  if (!rule.factor) {
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
      plan.ranks[r] = all_kept(counts.subspan(r * local, local));
      plan.routed += plan.ranks[r].tokens;
    }
    return plan;
  }
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    RankLoad rank;
    for (const std::int64_t count : counts.subspan(r * local, local)) {
      plan.routed += count;
      const std::int64_t kept = kept_by_sources(count, ep, tokens_per_rank, capacity, spread);
      plan.dropped += count - kept;
      add_expert(rank, kept, rule.pad ? ep * capacity : kept);
    }
    plan.ranks[r] = rank;
  }
  return plan;
}

Imbalance imbalance(std::span<const std::int64_t> counts) {
  if (counts.empty()) return {};
  const auto size = static_cast<std::int64_t>(counts.size());
  std::int64_t least = counts.front(), most = least, total = 0;
  for (const std::int64_t c : counts) {
    least = std::min(least, c);
    most = std::max(most, c);
    total += c;
  }
  if (total <= 0) return {};
  const double n = static_cast<double>(size), all = static_cast<double>(total);
  const bool near = most - least <= 8 * size && size < (1 << 16);   // its sum stays below 8 n^3 / 4 < 2^50: exact in a double too
  const double sum = near ? differences_near(counts, least, most - least) : differences({counts.begin(), counts.end()});
  return {static_cast<double>(most) * n / all - 1, sum / (n * all)};
}

double entropy(std::span<const std::int64_t> counts) {
  double total = 0, sum = 0;
  for (const std::int64_t c : counts) total += static_cast<double>(c);
  if (total <= 0 || counts.size() < 2) return 1;
  for (const std::int64_t c : counts)
    if (c > 0) sum -= static_cast<double>(c) / total * portable_log(static_cast<double>(c) / total);
  return sum / portable_log(static_cast<double>(counts.size()));
}

double expected_places(std::int64_t num_experts, std::int64_t top_k, std::int64_t places, std::int64_t limit) {
  if (places < 1 || num_experts % places != 0 || top_k < 0 || top_k > num_experts)
    throw InternalError("top " + std::to_string(top_k) + " of " + std::to_string(num_experts) + " experts on " + std::to_string(places) +
                        " places");
  const std::int64_t here = num_experts / places;
  const double elsewhere = static_cast<double>(num_experts - here), all = static_cast<double>(num_experts);
  double missed = 1;   // probability that no pick falls on a given place
  for (std::int64_t i = 0; i < top_k; ++i) missed *= std::max(0.0, elsewhere - static_cast<double>(i)) / (all - static_cast<double>(i));
  const double touched = static_cast<double>(places) * (1 - missed);
  return limit > 0 ? std::min(touched, static_cast<double>(limit)) : touched;
}

}  // namespace moesim
