#include "base/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace moesim {
namespace {

/// Pearson's sum over bins; cells expected less than five times are added to their neighbour. Normal deviation from its mean, so a
/// right sampler stays below 4 but for one seed in thousands.
double chi_square_deviation(const std::vector<double>& seen, const std::vector<double>& expected) {
  double sum = 0, s = 0, e = 0;
  int cells = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    s += seen[i];
    e += expected[i];
    if (e < 5 && i + 1 < seen.size()) continue;
    if (e > 0) {
      sum += (s - e) * (s - e) / e;
      ++cells;
    } else if (s > 0) {
      return 1e9;   // the impossible was drawn
    }
    s = e = 0;
  }
  return (sum - (cells - 1)) / std::sqrt(2.0 * (cells - 1));
}

double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(UnitNormal, FollowsItsDensityFromTheMiddleToTheTails) {
  const int draws = 2'000'000;
  std::vector<double> edges;
  for (int i = -45; i <= 45; ++i) edges.push_back(i * 0.1);
  std::vector<double> seen(edges.size() + 1), expected;
  RandomStream random(1, "normal");
  const UnitNormal normal;
  for (int i = 0; i < draws; ++i)
    ++seen[static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), normal(random)) - edges.begin())];
  double last = 0;
  for (const double x : edges) {
    expected.push_back(draws * (below(x) - last));
    last = below(x);
  }
  expected.push_back(draws * (1 - last));
  EXPECT_LT(chi_square_deviation(seen, expected), 4);
}

// Where the last layer begins, a wrong tail would be one draw in 1,700.
TEST(UnitNormal, FollowsItsDensityWithinTheTail) {
  const double begin = 3.442619855896652, width = 0.1;
  std::vector<double> seen(12), expected(12);
  RandomStream random(2, "normal");
  const UnitNormal normal;
  const int draws = 10'000'000;
  for (int i = 0; i < draws; ++i)
    if (const double x = std::abs(normal(random)); x >= begin) ++seen[std::min<std::size_t>(11, static_cast<std::size_t>((x - begin) / width))];
  for (std::size_t i = 0; i < 12; ++i)
    expected[i] = 2.0 * draws * (below(-(begin + width * static_cast<double>(i))) - (i == 11 ? 0 : below(-(begin + width * static_cast<double>(i + 1)))));
  EXPECT_LT(chi_square_deviation(seen, expected), 4);
}

void expect_binomial(std::int64_t trials, double p) {
  const int draws = 200'000;
  const double t = static_cast<double>(trials), mean = t * std::min(p, 1 - p);
  std::vector<double> seen(static_cast<std::size_t>(std::min<double>(t, mean * 3 + 30)) + 1), expected;
  RandomStream random(3, "binomial", {trials});
  const RareBinomial binomial(trials, p);
  for (int i = 0; i < draws; ++i) {
    const std::int64_t k = binomial(random), rare = p > 0.5 ? trials - k : k;
    ASSERT_GE(rare, 0);
    ASSERT_LT(static_cast<std::size_t>(rare), seen.size());
    ++seen[static_cast<std::size_t>(rare)];
  }
  const double q = std::min(p, 1 - p);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double k = static_cast<double>(i);
    expected.push_back(draws * std::exp(std::lgamma(t + 1) - std::lgamma(k + 1) - std::lgamma(t - k + 1) + k * std::log(q) + (t - k) * std::log1p(-q)));
  }
  EXPECT_LT(chi_square_deviation(seen, expected), 4) << trials << " of " << p;
}

TEST(RareBinomial, FollowsItsProbabilitiesWhereSuccessesAreRare) {
  expect_binomial(1000, 0.002);
  expect_binomial(1'000'000, 7.9e-6);
  expect_binomial(400, 0.07);
  expect_binomial(10, 0.45);
  expect_binomial(3, 0.5);
}

TEST(RareBinomial, FollowsItsProbabilitiesWhereFailuresAreRare) {
  expect_binomial(1000, 0.9921);
  expect_binomial(50, 0.6);
}

TEST(RareBinomial, CertaintiesDoNotVary) {
  RandomStream random(4, "binomial");
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(RareBinomial(1'000'000, 0)(random), 0);
    EXPECT_EQ(RareBinomial(1'000'000, 1)(random), 1'000'000);
    EXPECT_EQ(RareBinomial(0, 0.3)(random), 0);
  }
}

// The same bits on every compiler: printed once, they must never change.
TEST(Draws, AreTheSameEverywhere) {
  RandomStream random(7, "draws");
  const UnitNormal normal;
  double sum = 0, cubes = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double z = normal(random);
    sum += z;
    cubes += z * z * z;
  }
  EXPECT_EQ(sum, 0x1.acacfa61b8d94p+6);
  EXPECT_EQ(cubes, 0x1.ae7b65bcf3796p+6);
  const RareBinomial binomial(5000, 0.0013);
  std::int64_t successes = 0;
  for (int i = 1; i <= 1000; ++i) successes += i * binomial(random);
  EXPECT_EQ(successes, 3266010);
}

}  // namespace
}  // namespace moesim
