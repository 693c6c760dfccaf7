#include "moe/count_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "statistics.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int64_t>;

/// Draws and checks mean T p and variance T p (1 - p) of each expert; `slack` is the relative error allowed to the variance beyond noise.
void expect_marginals(std::int64_t tokens, std::int64_t top_k, const std::vector<double>& p, bool few, double slack, int draws = 20000) {
  const CountSampler sampler(tokens, top_k, p);
  ASSERT_EQ(sampler.few(), few);
  Moments moments(p.size());
  for (int i = 0; i < draws; ++i) {
    RandomStream random(3, "test", {i});
    Counts counts(p.size(), 99);
    sampler.draw(random, counts);
    ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), tokens * top_k);
    ASSERT_GE(*std::min_element(counts.begin(), counts.end()), 0);
    ASSERT_LE(*std::max_element(counts.begin(), counts.end()), tokens);
    moments.add(counts);
  }
  for (std::size_t e = 0; e < p.size(); ++e) {
    const double variance = static_cast<double>(tokens) * p[e] * (1 - p[e]);
    EXPECT_NEAR(moments.mean(e), static_cast<double>(tokens) * p[e], 5 * std::sqrt(variance / draws) + 1e-9) << e;
    EXPECT_NEAR(moments.variance(e), variance, variance * (5 * std::sqrt(2.0 / draws) + slack) + (few ? 0 : 1.0 / 6) + 1e-6) << e;
  }
}

TEST(CountSampler, OneTokenPicksDistinctExpertsWithTheirProbabilities) {
  // Borders of unit intervals at 1 and 2 fall inside the experts of 0.7 (0.6 + 0.7) and 0.9 (1.3 + 0.9).
  expect_marginals(1, 3, {0.6, 0.7, 0.9, 0.3, 0.1, 0.2, 0.2}, true, 0.05);
  expect_marginals(1, 3, {0.6, 0.7, 0.9, 0.3, 0.5}, true, 0.05);   // more than half: by complement
  expect_marginals(1, 2, {1, 0.5, 0.5}, true, 0.05);           // certain, and borders between experts
  expect_marginals(1, 2, {0.5, 1, 0.5}, true, 0.05);           // certain across a border
  expect_marginals(1, 2, {0.999, 0.998, 0.002, 0.001}, true, 0.5);
  expect_marginals(1, 1, {0, 1, 0}, true, 0);
}

TEST(CountSampler, FewTokensAddUpIndependently) {
  expect_marginals(9, 3, {0.6, 0.7, 0.9, 0.3, 0.5}, true, 0);
  expect_marginals(20, 2, {0.4, 0.3, 0.1, 0.7, 0.5}, true, 0);
}

TEST(CountSampler, ManyTokensKeepMeansAndVariancesOfUnequalExperts) {
  expect_marginals(400, 3, {0.6, 0.7, 0.9, 0.3, 0.5}, false, 0.02);
  expect_marginals(400, 2, {0.4, 0.3, 0.1, 0.7, 0.5}, false, 0.02);
  expect_marginals(10000, 1, {0.4, 0.3, 0.2, 0.05, 0.05}, false, 0.02);
  // Rare and near-certain experts are binomials; the others make the sum exact and keep their variance all the same.
  expect_marginals(1000, 3, {0.999, 0.995, 0.5, 0.45, 0.03, 0.02, 0.004, 0.002}, false, 0.02);
}

TEST(CountSampler, OneWideExpertTakesWhatTheOthersLeave) {
  // All others are rare: the first must vary as their sum, 4 * 1000 * 0.005 * 0.995 = 19.9, and T p (1 - p) = 19.6.
  expect_marginals(1000, 1, {0.98, 0.005, 0.005, 0.005, 0.005}, false, 0.05);
  // None is far from the ends: one of the two widest gives way, with variance 2 * 6 = 12 for 6.
  const CountSampler sampler(1000, 2, {1, 0.994, 0.003, 0.003});
  Counts counts(4);
  RandomStream random(1, "test");
  sampler.draw(random, counts);
  EXPECT_EQ(counts[0], 1000);
  EXPECT_EQ(counts[1] + counts[2] + counts[3], 1000);
}

TEST(CountSampler, CertainExpertsDoNotVary) {
  const CountSampler sampler(5000, 3, {1, 0, 1, 1, 0});
  RandomStream random(1, "test");
  Counts counts(5);
  sampler.draw(random, counts);
  EXPECT_EQ(counts, (Counts{5000, 0, 5000, 5000, 0}));
}

TEST(SettleCounts, MovesExcessToWhereThereIsRoomAndKeepsTheSum) {
  Counts counts{120, 40, 80, 20};
  settle_counts(counts, 100);     // 20 too many for a room of 60 + 20 + 80: an eighth of it each
  EXPECT_EQ(counts, (Counts{100, 48, 82, 30}));
  counts = {-8, 40, 80, 20};
  settle_counts(counts, 100);     // 8 missing of 140
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 132);
  counts = {13, 1, 10};
  settle_counts(counts, 8);       // exactly full
  EXPECT_EQ(counts, (Counts{8, 8, 8}));
  counts = {3, 4};
  settle_counts(counts, 5);
  EXPECT_EQ(counts, (Counts{3, 4}));
}

}  // namespace
}  // namespace moesim
