#include "calibration/cliffs.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

TimedSeries curve(std::initializer_list<std::pair<double, double>> points, double n = 512) {
  TimedSeries out{"d", "gemm", "f", "k", "bfloat16", {}};
  for (const auto& [m, us] : points) out.rows.push_back({"", {m, n, 512}, 0, us * 1e-6, 0, 0, 0});
  return out;
}

TEST(Cliffs, AreFallsOfThroughputAndOfTimeOver3Percent) {
  // 256 -> 257: as good as the same work in 2.5 times the time; 257 -> 512: more rows, less time.
  const SeriesCliffs c = gemm_cliffs(curve({{512, 20}, {128, 5}, {256, 10}, {257, 25}}));
  EXPECT_EQ(c.shapes, 1);
  ASSERT_EQ(c.cliffs.size(), 2U);
  EXPECT_EQ(c.cliffs[0].from, 256);
  EXPECT_EQ(c.cliffs[0].to, 257);
  EXPECT_DOUBLE_EQ(c.cliffs[0].time, 2.5);
  EXPECT_DOUBLE_EQ(c.cliffs[0].throughput, 257.0 / 256 / 2.5);
  EXPECT_FALSE(c.cliffs[0].time_falls());
  EXPECT_TRUE(c.cliffs[1].time_falls());
  EXPECT_EQ(c.cliffs[1].shape, "n 512, k 512");
}

TEST(Cliffs, AreNotSmallOnes) { EXPECT_TRUE(gemm_cliffs(curve({{100, 10}, {200, 20.4}, {210, 20.0}, {300, 29}})).cliffs.empty()); }

TEST(Cliffs, OfThroughputAreBetweenNeighboursAndOfTimeAnywhere) {
  EXPECT_TRUE(gemm_cliffs(curve({{100, 10}, {1000, 120}})).cliffs.empty());
  EXPECT_EQ(gemm_cliffs(curve({{100, 10}, {200, 24}})).cliffs.size(), 1U);
  EXPECT_EQ(gemm_cliffs(curve({{100, 10}, {1000, 9}})).cliffs.size(), 1U);
}

TEST(Cliffs, OfRepeatsAreThoseOfTheirMeans) {
  EXPECT_TRUE(gemm_cliffs(curve({{100, 9}, {100, 11}, {200, 18}, {200, 22}})).cliffs.empty());
}

TEST(CliffSteps, HaveTheHeaviestFirst) {
  TimedSeries s = curve({{256, 10}, {257, 20}, {512, 20}, {513, 22}}, 512);
  for (const TimedRow& r : curve({{256, 10}, {257, 12}, {512, 20}, {513, 20}}, 1024).rows) s.rows.push_back(r);
  const std::vector<CliffStep> steps = cliff_steps(gemm_cliffs(s));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].to, 257);
  EXPECT_EQ(steps[0].shapes, 2);
  EXPECT_DOUBLE_EQ(steps[0].worst, 2);
  EXPECT_DOUBLE_EQ(steps[0].median, 1.6);
  EXPECT_EQ(steps[1].shapes, 1);
}

}  // namespace
}  // namespace moesim
