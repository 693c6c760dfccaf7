#include "cost/residual_surface.h"

#include <gtest/gtest.h>

#include <array>

#include "base/error.h"

namespace moesim {
namespace {

double at(const ResidualSurface& s, double x, double y) { return s.value(std::array{x, y}).log_ratio; }

TEST(ResidualSurface, OfOnePointIsThatPointEverywhere) {
  ResidualSurface s({1, 1}, 0.2);
  s.add(std::array{1.0, 2.0}, 0.7);
  EXPECT_DOUBLE_EQ(at(s, 1, 2), 0.7);
  EXPECT_DOUBLE_EQ(at(s, 100, -5), 0.7);
}

TEST(ResidualSurface, IsTheMeanHalfWayBetweenTwoPointsAndStaysBetweenThem) {
  ResidualSurface s({1, 1}, 0.2);
  s.add(std::array{0.0, 0.0}, 0.0);
  s.add(std::array{2.0, 0.0}, 1.0);
  EXPECT_DOUBLE_EQ(at(s, 1, 0), 0.5);
  EXPECT_LT(at(s, 0.5, 0), 0.05);
  for (double x = -3; x <= 5; x += 0.25) {
    EXPECT_GE(at(s, x, 1), 0);
    EXPECT_LE(at(s, x, 1), 1);
  }
}

TEST(ResidualSurface, CountsDimensionsByTheirScale) {
  ResidualSurface s({1, 10}, 0.2);
  s.add(std::array{0.0, 0.0}, 0.0);
  s.add(std::array{2.0, 0.1}, 1.0);
  EXPECT_DOUBLE_EQ(s.value(std::array{0.0, 0.1}).nearest, 1);   // 0.1 x 10 from the first, 2 from the second
  EXPECT_LT(at(s, 0, 0.1), 0.5);
}

TEST(ResidualSurface, SaysHowFarTheNearestPointIs) {
  ResidualSurface s({1, 1}, 0.2);
  s.add(std::array{0.0, 0.0}, 0.0);
  EXPECT_EQ(s.value(std::array{0.0, 0.0}).nearest, 0);
  EXPECT_EQ(s.value(std::array{3.0, -1.0}).nearest, 4);
}

TEST(ResidualSurface, RefusesMisuse) {
  ResidualSurface s({1, 1}, 0.2);
  EXPECT_THROW(at(s, 0, 0), InternalError);
  EXPECT_THROW(s.add(std::array{1.0}, 0), InternalError);
}

}  // namespace
}  // namespace moesim
