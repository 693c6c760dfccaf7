#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/error.h"
#include "moe/expert_load.h"
#include "statistics.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int64_t>;

Counts draw(const char* law, const LoadKey& key, const LoadShape& shape, double exponent = 1) {
  Counts counts(static_cast<std::size_t>(shape.num_experts));
  load_laws().make(law)->draw(key, shape, {.exponent = exponent}, counts);
  return counts;
}

Counts descending(Counts counts) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

/// Expert numbers from most to least loaded.
std::vector<std::size_t> order_of(const Counts& counts) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  return order;
}

TEST(BalancedLoad, SharesEquallyAndSpreadsWhatDoesNotDivide) {
  EXPECT_EQ(draw("balanced", {}, {16, 8, 2}), Counts(8, 4));
  EXPECT_EQ(draw("balanced", {}, {9, 8, 2}), (Counts{2, 2, 2, 3, 2, 2, 2, 3}));   // 18 copies: 2 each, 2 left over
  EXPECT_EQ(draw("balanced", {.seed = 4, .layer = 1}, {9, 8, 2}), draw("balanced", {}, {9, 8, 2}));
}

TEST(ZipfLoad, SharesFallAsRankToTheExponent) {
  // E = 4, k = 1, s = 1: weights 1, 1/2, 1/3, 1/4 sum to 25/12, so shares are 12, 6, 4 and 3 of 25.
  const Counts counts = descending(draw("zipf", {}, {25'000'000, 4, 1}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(counts[i]) / 1e6, (std::vector<double>{12, 6, 4, 3})[i], 0.02);
}

TEST(ZipfLoad, AnExpertTakesAtMostAllTokensAndTheRestGoesOn) {
  // E = 4, k = 2, s = 2: weights 1, 1/4, 1/9, 1/16. Twice the first share, 288/205, is past 1, so the first is certain and the rest
  // share one pick: 36/61, 16/61, 9/61.
  const Counts counts = descending(draw("zipf", {}, {6'100'000, 4, 2}, 2));
  EXPECT_EQ(counts[0], 6'100'000);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(static_cast<double>(counts[i]) / 1e5, (std::vector<double>{0, 36, 16, 9})[i], 0.1);
}

TEST(ZipfLoad, TheOrderOfExpertsIsThatOfTheLayer) {
  const LoadShape shape{1'000'000, 32, 2};
  const auto order = order_of(draw("zipf", {.seed = 1, .layer = 3}, shape));
  EXPECT_EQ(order_of(draw("zipf", {.seed = 1, .layer = 3, .step = 7, .micro_batch = 5, .group = 2}, shape)), order);
  EXPECT_NE(order_of(draw("zipf", {.seed = 1, .layer = 4}, shape)), order);
  EXPECT_NE(order_of(draw("zipf", {.seed = 2, .layer = 3}, shape)), order);
}

TEST(ZipfLoad, EveryExpertLeadsSomeLayer) {
  std::vector<int> leads(8);
  for (std::int64_t layer = 0; layer < 4000; ++layer) ++leads[order_of(draw("zipf", {.layer = layer}, {4096, 8, 1}))[0]];
  for (int n : leads) EXPECT_NEAR(n, 500, 105);   // binomial: deviation 21
}

TEST(ZipfLoad, CountsVaryAroundTheirShareAsIndependentTokens) {
  for (const std::int64_t tokens : {10, 4096}) {   // both regimes; k = 2 of 8
    const auto sampler = load_laws().make("zipf")->sampler({tokens, 8, 2}, {.exponent = 0.7});
    Moments moments(8);
    Counts counts(8);
    for (std::int64_t i = 0; i < 20000; ++i) {
      sampler->draw({.micro_batch = i}, counts);
      moments.add(counts);
    }
    for (std::size_t e = 0; e < 8; ++e) {
      const double p = moments.mean(e) / static_cast<double>(tokens), variance = static_cast<double>(tokens) * p * (1 - p);
      EXPECT_NEAR(moments.variance(e), variance, variance * 0.07 + 1.0 / 6) << e;
    }
  }
}

TEST(ZipfLoad, ExponentZeroIsUniform) {
  const auto sampler = load_laws().make("zipf")->sampler({4096, 16, 4}, {.exponent = 0});
  Moments moments(16);
  Counts counts(16);
  for (std::int64_t i = 0; i < 10000; ++i) {
    sampler->draw({.micro_batch = i}, counts);
    moments.add(counts);
  }
  EXPECT_NEAR(moments.mean_variance() / (4096 * 0.25 * 0.75), 1, 0.02);
  EXPECT_NEAR(moments.mean_covariance() / (4096 * 0.25 * 0.75 / 15), -1, 0.02);
}

TEST(LoadLaws, DrawsAreTheSameBitsOnEveryCompiler) {
  const LoadKey key{.seed = 1, .layer = 2, .step = 3, .micro_batch = 4, .group = 5};
  EXPECT_EQ(draw("multinomial", key, {10, 8, 2}), (Counts{2, 7, 1, 1, 2, 2, 0, 5}));
  EXPECT_EQ(draw("multinomial", key, {4096, 8, 2}), (Counts{1037, 1021, 1076, 979, 1005, 993, 1091, 990}));
  EXPECT_EQ(draw("zipf", key, {10, 8, 2}), (Counts{2, 4, 1, 1, 1, 3, 1, 7}));
  EXPECT_EQ(draw("zipf", key, {4096, 8, 2}, 2.5), (Counts{74, 2256, 881, 97, 397, 233, 158, 4096}));
}

TEST(LoadLaws, ErrorsNameWhatWasFoundAndWhatIsAllowed) {
  const auto error = [](const char* law, const LoadShape& shape, double exponent) -> std::string {
    try {
      load_laws().make(law)->sampler(shape, {.exponent = exponent});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error("zipf", {10, 8, 2}, -0.5), "exponent: found -0.5, allowed is 0 to 10");
  EXPECT_EQ(error("zipf", {10, 8, 2}, std::nan("")), "exponent: found nan, allowed is 0 to 10");
  EXPECT_EQ(error("multinomial", {10, 8, 9}, 1), "top_k: found 9, allowed is 1 to num_experts = 8");
  EXPECT_EQ(error("balanced", {10, 0, 1}, 1), "num_experts: found 0, allowed is 1 to 1048576");
  EXPECT_EQ(error("balanced", {-10, 8, 1}, 1), "tokens of an expert-parallel group: found -10, allowed is 0 to 1099511627776");
}

}  // namespace
}  // namespace moesim
