#include "moe/dispatch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int64_t>;

TEST(ExpertCapacity, IsTheMeanTimesTheFactorRoundedUp) {
  EXPECT_EQ(expert_capacity(4096, 8, 128, 1.0), 256);
  EXPECT_EQ(expert_capacity(4096, 8, 128, 1.25), 320);
  EXPECT_EQ(expert_capacity(4097, 8, 128, 1.0), 257);     // 256.0625
  EXPECT_EQ(expert_capacity(10, 2, 7, 1.1), 4);           // 3.14
  EXPECT_EQ(expert_capacity(0, 2, 8, 2.0), 0);
  EXPECT_EQ(expert_capacity(10, 2, 8, 4.0), 10);
  EXPECT_EQ(expert_capacity(10, 2, 8, 1e6), 10);          // no expert can keep more tokens than there are
}

TEST(ExpertCapacity, RefusesFactorsThatAreNotPositive) {
  const auto error = [](double factor) -> std::string {
    try {
      expert_capacity(8, 2, 4, factor);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error(0), "capacity_factor: found 0, allowed is a number above 0");
  EXPECT_EQ(error(-1.5), "capacity_factor: found -1.5, allowed is a number above 0");
  EXPECT_EQ(error(std::nan("")), "capacity_factor: found nan, allowed is a number above 0");
  EXPECT_EQ(error(INFINITY), "capacity_factor: found inf, allowed is a number above 0");
}

TEST(DispatchPlan, DroplessRanksComputeWhatTheyReceive) {
  const DispatchPlan plan = plan_dispatch(Counts{5, 0, 7, 4, 0, 0, 8, 8}, 4, 4, 2, {});
  EXPECT_EQ(plan.ranks, (std::vector<RankLoad>{{5, 5, 5, 1}, {11, 11, 7, 2}, {0, 0, 0, 0}, {16, 16, 8, 2}}));
  EXPECT_EQ(plan.routed, 32);
  EXPECT_EQ(plan.dropped, 0);
}

TEST(DispatchPlan, CapacityOfASourceTimesSourcesLimitsAnExpert) {
  // 2 ranks of 8 tokens, top 2 of 4: a source may send 8 * 2 / 4 * 1 = 4 to an expert, both together 8.
  const DispatchPlan plan = plan_dispatch(Counts{16, 6, 2, 8}, 2, 8, 2, {.factor = 1.0, .pad = false});
  EXPECT_EQ(plan.ranks, (std::vector<RankLoad>{{14, 14, 8, 2}, {10, 10, 8, 2}}));
  EXPECT_EQ(plan.dropped, 8);
  EXPECT_EQ(plan.routed, 32);
}

TEST(DispatchPlan, PaddingMakesEveryExpertComputeItsCapacity) {
  const DispatchPlan plan = plan_dispatch(Counts{16, 6, 2, 8}, 2, 8, 2, {.factor = 1.0, .pad = true});
  EXPECT_EQ(plan.ranks, (std::vector<RankLoad>{{16, 14, 8, 2}, {16, 10, 8, 2}}));
  EXPECT_EQ(plan.dropped, 8);
}

TEST(DispatchPlan, CapacityAboveTheTokensDropsNothing) {
  const DispatchPlan plan = plan_dispatch(Counts{16, 16, 0, 0}, 2, 8, 2, {.factor = 2.5, .pad = false});   // capacity 10 of 8 tokens
  EXPECT_EQ(plan.dropped, 0);
}

TEST(DispatchPlan, RoutedIsReceivedPlusDroppedForAnyCountsAndFactor) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t ep = std::int64_t{1} << random() % 5, experts = ep * static_cast<std::int64_t>(1 + random() % 6);
    Counts counts;
    std::int64_t routed = 0;
    for (std::int64_t e = 0; e < experts; ++e) routed += counts.emplace_back(static_cast<std::int64_t>(random() % 200));
    CapacityRule rule;
    if (i % 3) rule = {.factor = 0.25 * static_cast<double>(1 + random() % 12), .pad = i % 3 == 2};
    const DispatchPlan plan = plan_dispatch(counts, ep, 64, 1, rule);
    std::int64_t received = 0, tokens = 0;
    for (const RankLoad& r : plan.ranks) received += r.received, tokens += r.tokens;
    EXPECT_EQ(plan.routed, routed);
    EXPECT_EQ(received + plan.dropped, routed);
    EXPECT_GE(tokens, received);
    EXPECT_EQ(tokens == received || rule.pad, true);
  }
}

/// Megatron's rule on real tokens: each source drops what exceeds its own capacity. Returns dropped / routed, and fills the counts.
double dropped_by_tokens(std::mt19937_64& random, std::int64_t ep, std::int64_t tokens, std::int64_t k, std::int64_t capacity, Counts& counts) {
  const std::size_t n = counts.size();
  std::fill(counts.begin(), counts.end(), 0);
  std::int64_t dropped = 0;
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::int64_t source = 0; source < ep; ++source) {
    Counts own(n);
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        std::swap(order[i], order[i + random() % (n - i)]);
        ++own[order[i]];
      }
    for (std::size_t e = 0; e < n; ++e) dropped += std::max<std::int64_t>(0, own[e] - capacity), counts[e] += own[e];
  }
  return static_cast<double>(dropped) / static_cast<double>(ep * tokens * k);
}

TEST(DispatchPlan, RandomSourcesDropWhatMegatronsRuleDropsOnRealTokens) {
  // 8 sources, top 4 of 32. Capacities of 128 tokens' mean 16 and of 1024 tokens' mean 128, at several factors.
  for (const std::int64_t tokens : {128, 1024})
    for (const double factor : {0.75, 1.0, 1.1}) {
      std::mt19937_64 random(31);
      double by_tokens = 0, by_plan = 0, by_even = 0;
      Counts counts(32);
      for (int i = 0; i < 20; ++i) {
        by_tokens += dropped_by_tokens(random, 8, tokens, 4, expert_capacity(tokens, 4, 32, factor), counts);
        const CapacityRule rule{.factor = factor, .pad = false};
        const DispatchPlan plan = plan_dispatch(counts, 8, tokens, 4, rule, SourceSpread::random);
        by_plan += static_cast<double>(plan.dropped) / static_cast<double>(plan.routed);
        by_even += static_cast<double>(plan_dispatch(counts, 8, tokens, 4, rule).dropped) / static_cast<double>(plan.routed);
      }
      EXPECT_NEAR(by_plan / by_tokens, 1, 0.04) << tokens << " " << factor;   // 20 * 256 sources and experts: about 1 % noise
      if (factor == 1.0) { EXPECT_LT(by_even / by_tokens, 0.5); }
    }
}

TEST(DispatchPlan, RandomSourcesAtFactorOneDropTheMeanExcessOfANormal) {
  // Balanced totals, 16 sources of 4096 tokens, top 8 of 128: each sends 256 +- 15.0 = sqrt(256 * 15/16 * (65536 - 4096) / 65535), so
  // 15.0 / sqrt(2 pi) = 5.98 of 256 are dropped, 2.34 %.
  const DispatchPlan plan = plan_dispatch(Counts(128, 4096), 16, 4096, 8, {.factor = 1.0, .pad = false}, SourceSpread::random);
  EXPECT_NEAR(static_cast<double>(plan.dropped) / static_cast<double>(plan.routed), 15.0 / std::sqrt(2 * 3.14159265) / 256, 1e-4);
  EXPECT_EQ(plan_dispatch(Counts(128, 4096), 16, 4096, 8, {.factor = 1.0, .pad = false}).dropped, 0);
}

TEST(DispatchPlan, RandomSourcesDropNoLessThanEvenOnesAndNothingWhereThereIsNoChance) {
  const CapacityRule rule{.factor = 1.25, .pad = false};
  for (std::int64_t count : {0, 1, 100, 4096, 5119, 5120, 5121, 20000, 65536}) {
    Counts counts(128, 4096);
    counts[7] = count;
    const DispatchPlan random = plan_dispatch(counts, 16, 4096, 8, rule, SourceSpread::random), even = plan_dispatch(counts, 16, 4096, 8, rule);
    EXPECT_GE(random.dropped, even.dropped) << count;
    EXPECT_LE(random.dropped - even.dropped, 16 * 7) << count;   // at the limit a source of deviation 17 loses 6.8 more
  }
  const Counts all(8, 64);   // every token goes to every expert: no source differs from another
  EXPECT_EQ(plan_dispatch(all, 4, 16, 8, {.factor = 0.5, .pad = false}, SourceSpread::random),
            plan_dispatch(all, 4, 16, 8, {.factor = 0.5, .pad = false}));
}

TEST(DispatchPlan, RefusesWhatCannotBe) {
  EXPECT_THROW(plan_dispatch(Counts{1, 2, 3}, 2, 4, 1, {}), InternalError);
  EXPECT_THROW(plan_dispatch(Counts{1, 2}, 0, 4, 1, {}), InternalError);
  try {
    plan_dispatch(Counts{1, 2}, 2, 4, 1, {.factor = {}, .pad = true});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "padding experts to their capacity needs a capacity_factor");
  }
}

TEST(Imbalance, OfEqualCountsIsNone) {
  const Imbalance i = imbalance(Counts(8, 5));
  EXPECT_DOUBLE_EQ(i.max_vio, 0);
  EXPECT_DOUBLE_EQ(i.gini, 0);
  EXPECT_NEAR(entropy(Counts(8, 5)), 1, 1e-12);
}

TEST(Imbalance, OfOneExpertThatTakesAllIsLargest) {
  const Imbalance i = imbalance(Counts{0, 0, 12, 0});
  EXPECT_DOUBLE_EQ(i.max_vio, 3);      // (12 - 3) / 3
  EXPECT_DOUBLE_EQ(i.gini, 0.75);      // (n - 1) / n
  EXPECT_DOUBLE_EQ(entropy(Counts{0, 0, 12, 0}), 0);
}

TEST(Imbalance, OfTwoLevelsFollowsTheDefinitions) {
  // 1, 1, 3, 3: mean 2; mean |difference| over all 16 ordered pairs = 8 * 2 / 16 = 1, Gini = 1 / (2 * 2); entropy of 1/8, 1/8, 3/8, 3/8
  // = log 8 - 3/4 log 3.
  const Imbalance i = imbalance(Counts{3, 1, 3, 1});
  EXPECT_DOUBLE_EQ(i.max_vio, 0.5);
  EXPECT_DOUBLE_EQ(i.gini, 0.25);
  EXPECT_NEAR(entropy(Counts{3, 1, 3, 1}), (std::log(8) - 0.75 * std::log(3)) / std::log(4), 1e-12);
}

TEST(Imbalance, OfNothingIsNone) {
  for (const Counts& counts : {Counts{}, Counts{0, 0}}) {
    EXPECT_EQ(imbalance(counts).max_vio, 0);
    EXPECT_EQ(imbalance(counts).gini, 0);
    EXPECT_EQ(entropy(counts), 1);
  }
  EXPECT_EQ(entropy(Counts{7}), 1);
}

TEST(Imbalance, IsTheSameHoweverFarApartTheCountsLie) {
  // A thousand times the counts is past the range in which they are counted instead of sorted; both figures are ratios.
  const Counts near{3, 9, 4, 4, 7, 1, 12, 5};
  Counts far;
  for (const std::int64_t c : near) far.push_back(c * 1000);
  EXPECT_DOUBLE_EQ(imbalance(near).max_vio, imbalance(far).max_vio);
  EXPECT_DOUBLE_EQ(imbalance(near).gini, imbalance(far).gini);
  // 45 tokens over 8 experts, sorted 1 3 4 4 5 7 9 12: sum of x (2 i + 1 - 8) = -7 - 15 - 12 - 4 + 5 + 21 + 45 + 84 = 117.
  EXPECT_DOUBLE_EQ(imbalance(near).gini, 117.0 / (8 * 45));
}

/// Mean number of places over all k-subsets of the experts.
double enumerated_places(int experts, int k, int places) {
  double sum = 0, subsets = 0;
  for (unsigned set = 0; set < (1u << experts); ++set) {
    if (std::popcount(set) != k) continue;
    std::set<int> touched;
    for (int e = 0; e < experts; ++e)
      if (set >> e & 1) touched.insert(e / (experts / places));
    sum += static_cast<double>(touched.size());
    ++subsets;
  }
  return sum / subsets;
}

TEST(ExpectedPlaces, IsTheMeanOverAllSubsets) {
  for (int experts : {1, 4, 6, 12})
    for (int places = 1; places <= experts; ++places)
      for (int k = 0; k <= experts && experts % places == 0; ++k)
        EXPECT_NEAR(expected_places(experts, k, places), enumerated_places(experts, k, places), 1e-12) << experts << " " << k << " " << places;
}

TEST(ExpectedPlaces, IsCappedByGroupLimitedRouting) {
  // 256 experts on 8 nodes, top 8: 8 * (1 - C(224, 8) / C(256, 8)) = 5.29 nodes, of which a limit lets 4.
  EXPECT_NEAR(expected_places(256, 8, 8), 5.29465, 1e-5);
  EXPECT_EQ(expected_places(256, 8, 8, 4), 4);
  EXPECT_EQ(expected_places(256, 8, 8, 7), expected_places(256, 8, 8));
  EXPECT_THROW(expected_places(256, 8, 7), InternalError);
  EXPECT_THROW(expected_places(4, 5, 2), InternalError);
}

}  // namespace
}  // namespace moesim
