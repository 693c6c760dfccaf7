#include "cost/gemm_grid.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace moesim {
namespace {

using Axis = std::vector<std::int64_t>;

template <class F>
GemmGrid grid_of(const Axis& m, const Axis& n, const Axis& k, F seconds) {
  std::vector<double> all;
  for (const auto a : m)
    for (const auto b : n)
      for (const auto c : k) all.push_back(seconds(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
  return {m, n, k, all};
}

// Each term of a roofline: a start, operands and result, arithmetic.
double roofline(double m, double n, double k) { return 3e-6 + 1e-12 * (m * k + n * k + m * n) + 2e-15 * m * n * k; }

TEST(GemmGrid, GivesBackARooflineEverywhereInside) {
  const GemmGrid g = grid_of({1, 64, 8192}, {512, 4096}, {512, 7168, 16384}, roofline);
  for (const GemmShape s : {GemmShape{1, 512, 512}, {8192, 4096, 16384}, {17, 777, 9999}, {64, 512, 7168}, {5000, 4000, 600}})
    EXPECT_NEAR(g.seconds(s) / roofline(static_cast<double>(s.m), static_cast<double>(s.n), static_cast<double>(s.k)), 1, 1e-12);
}

TEST(GemmGrid, KeepsACliff) {
  const GemmGrid g = grid_of({2048, 2049, 4096}, {512}, {512}, [](double m, double, double) { return m <= 2048 ? 1.0 : 2.0; });
  EXPECT_DOUBLE_EQ(g.seconds({2048, 512, 512}), 1);
  EXPECT_DOUBLE_EQ(g.seconds({2049, 512, 512}), 2);
  EXPECT_DOUBLE_EQ(g.seconds({3000, 512, 512}), 2);
}

TEST(GemmGrid, MayBeOnePoint) { EXPECT_DOUBLE_EQ(grid_of({7}, {8}, {9}, [](double, double, double) { return 5.0; }).seconds({7, 8, 9}), 5); }

TEST(GemmGrid, KnowsItsRange) {
  const GemmGrid g = grid_of({2, 4}, {8, 16}, {32, 64}, roofline);
  EXPECT_EQ(g.clamped({3, 9, 33}), (GemmShape{3, 9, 33}));
  EXPECT_EQ(g.clamped({1, 100, 40}), (GemmShape{2, 16, 40}));
  EXPECT_THROW((void)g.seconds({1, 9, 33}), InternalError);
}

TEST(GemmGrid, RefusesDisorder) {
  EXPECT_THROW(GemmGrid({2, 2}, {1}, {1}, {1, 1}), InternalError);
  EXPECT_THROW(GemmGrid({}, {1}, {1}, {}), InternalError);
  EXPECT_THROW(GemmGrid({1, 2}, {1}, {1}, {1}), InternalError);
  EXPECT_THROW(GemmGrid({1, 2}, {1}, {1}, {1, 0}), InternalError);
}

}  // namespace
}  // namespace moesim
