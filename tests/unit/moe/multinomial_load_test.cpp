// Forced balance: counts of independent uniform k-subsets. The law draws counts at once; here tokens are drawn one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "moe/expert_load.h"
#include "statistics.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int64_t>;

Counts law_counts(const LoadSampler& sampler, std::int64_t experts, std::int64_t i) {
  Counts counts(static_cast<std::size_t>(experts));
  sampler.draw({.seed = 17, .micro_batch = i}, counts);
  return counts;
}

/// Token by token: the first k of a shuffle.
Counts token_counts(std::mt19937_64& random, const LoadShape& shape) {
  const auto n = static_cast<std::size_t>(shape.num_experts);
  Counts counts(n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::int64_t t = 0; t < shape.tokens; ++t)
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.top_k); ++i) {
      std::swap(order[i], order[i + random() % (n - i)]);
      ++counts[order[i]];
    }
  return counts;
}

std::int64_t rank_max(const Counts& counts, std::size_t ep) {
  const std::size_t local = counts.size() / ep;
  std::int64_t most = 0;
  for (std::size_t r = 0; r < ep; ++r) most = std::max(most, std::accumulate(counts.begin() + r * local, counts.begin() + (r + 1) * local, std::int64_t{0}));
  return most;
}

/// Mean T k / E, variance T p (1 - p), covariance -variance / (E - 1): a k-subset has a fixed size, so each row sums to zero.
void expect_subset_moments(const LoadShape& shape, int draws) {
  const auto sampler = load_laws().make("multinomial")->sampler(shape, {});
  Moments moments(static_cast<std::size_t>(shape.num_experts));
  for (int i = 0; i < draws; ++i) moments.add(law_counts(*sampler, shape.num_experts, i));
  const double t = static_cast<double>(shape.tokens), n = static_cast<double>(shape.num_experts), p = static_cast<double>(shape.top_k) / n;
  const double variance = t * p * (1 - p);
  for (std::size_t e = 0; e < static_cast<std::size_t>(shape.num_experts); ++e) {
    EXPECT_NEAR(moments.mean(e), t * p, 5 * std::sqrt(variance / draws)) << e;
    EXPECT_NEAR(moments.variance(e) / variance, 1, 5 * std::sqrt(2.0 / draws) + 1.0 / 6 / variance) << e;
  }
  EXPECT_NEAR(moments.mean_variance() / variance, 1, 5 * std::sqrt(2.0 / draws / (n - 1)) + 1.0 / 6 / variance);
  EXPECT_NEAR(moments.mean_covariance() / (variance / (n - 1)), -1, 5 * std::sqrt(2.0 / draws / (n - 1)) + 1.0 / 6 / variance);
}

TEST(MultinomialLoad, FewTokensHaveTheMomentsOfKSubsets) {
  expect_subset_moments({20, 16, 4}, 20000);   // mean 5: drawn token by token
  expect_subset_moments({42, 16, 13}, 20000);  // each expert is left out 7.9 times
}

TEST(MultinomialLoad, ManyTokensHaveTheMomentsOfKSubsets) {
  expect_subset_moments({33, 16, 4}, 20000);   // mean 8.25: the smallest that is drawn from normals
  expect_subset_moments({4000, 16, 4}, 20000);
  expect_subset_moments({43, 16, 13}, 20000);  // left out 8.1 times
  expect_subset_moments({500, 8, 7}, 20000);
  expect_subset_moments({5000, 2, 1}, 20000);
}

TEST(MultinomialLoad, RelativeDeviationIsThatOfMegatronsForcedBalance) {
  // T = 4096, k = 8, E = 128: sqrt((1 - 1/16) / 256) = 6.05 % on one rank, and over 16 ranks' tokens a quarter of it.
  for (const auto& [tokens, expected] : {std::pair{4096, 0.0605}, std::pair{16 * 4096, 0.0151}}) {
    const auto sampler = load_laws().make("multinomial")->sampler({tokens, 128, 8}, {});
    double sum = 0;
    for (int i = 0; i < 2000; ++i)
      for (std::int64_t c : law_counts(*sampler, 128, i)) sum += std::pow(static_cast<double>(c) / (tokens / 16.0) - 1, 2);
    EXPECT_NEAR(std::sqrt(sum / 2000 / 128), expected, expected * 0.01);
  }
}

TEST(MultinomialLoad, RankLoadsVaryAsDrawsWithoutReplacement) {
  // sigma_rank^2 = (1 - 1/EP) (E - k) / (E - 1) EP / (T k) of the mean T k / EP. E = 64, k = 6, EP = 8, T = 8 * 512.
  const auto sampler = load_laws().make("multinomial")->sampler({4096, 64, 6}, {});
  const double mean = 4096.0 * 6 / 8, variance = mean * mean * (7.0 / 8) * (58.0 / 63) * 8 / (4096 * 6);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const Counts counts = law_counts(*sampler, 64, i);
    for (std::size_t r = 0; r < 8; ++r) {
      const double load = static_cast<double>(std::accumulate(counts.begin() + 8 * r, counts.begin() + 8 * r + 8, std::int64_t{0}));
      sum += load;
      squares += (load - mean) * (load - mean);
    }
  }
  EXPECT_NEAR(sum / 160000, mean, 1e-9);   // the sum over ranks is exact
  EXPECT_NEAR(squares / 160000 / variance, 1, 0.02);
}

TEST(MultinomialLoad, TheLargestRankIsThatOfTokenByTokenDraws) {
  // What sets the time of a step. 400 draws each; E = 32, k = 4, EP = 8.
  for (const std::int64_t tokens : {48, 96, 512, 4096}) {
    const LoadShape shape{tokens, 32, 4};
    const auto sampler = load_laws().make("multinomial")->sampler(shape, {});
    std::mt19937_64 random(23);
    double law = 0, one_by_one = 0, expert_law = 0, expert_one_by_one = 0;
    const double mean = static_cast<double>(tokens) * 4 / 8;
    for (int i = 0; i < 400; ++i) {
      const Counts a = law_counts(*sampler, 32, i), b = token_counts(random, shape);
      law += static_cast<double>(rank_max(a, 8)) / mean - 1;
      one_by_one += static_cast<double>(rank_max(b, 8)) / mean - 1;
      expert_law += static_cast<double>(rank_max(a, 32)) * 4 / mean - 1;
      expert_one_by_one += static_cast<double>(rank_max(b, 32)) * 4 / mean - 1;
    }
    // The excess of a maximum of 8 normals has a relative deviation of about 0.43, so 400 draws give 2.1 % each; 4 errors.
    EXPECT_NEAR(law / one_by_one, 1, 0.12) << tokens;
    EXPECT_NEAR(expert_law / expert_one_by_one, 1, 0.10) << tokens;
  }
}

TEST(MultinomialLoad, OneExpertsCountIsBinomialInDistribution) {
  // T = 160, p = 1/16: mean 10, skewness 0.29. Distance to the exact distribution function at every count.
  const auto sampler = load_laws().make("multinomial")->sampler({160, 64, 4}, {});
  const int draws = 3000;
  std::vector<double> seen(161);
  for (int i = 0; i < draws; ++i)
    for (std::int64_t c : law_counts(*sampler, 64, i)) seen[static_cast<std::size_t>(c)] += 1.0 / (64 * draws);
  double pmf = std::pow(15.0 / 16, 160), exact = 0, drawn = 0, farthest = 0;
  for (std::size_t c = 0; c <= 160; ++c) {
    exact += pmf;
    drawn += seen[c];
    farthest = std::max(farthest, std::abs(exact - drawn));
    pmf *= (160.0 - static_cast<double>(c)) / (static_cast<double>(c) + 1) / 15;
  }
  EXPECT_LT(farthest, 0.006);   // a plain normal is off by 0.02
}

}  // namespace
}  // namespace moesim
