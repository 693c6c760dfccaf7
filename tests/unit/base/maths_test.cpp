#include "base/maths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace moesim {
namespace {

// Reference values from the long-double library: more digits than a double holds.
TEST(Maths, ExpIsWithinThreeUlpOfTheReference) {
  for (double x = -700; x < 700; x += 0.7310585) {
    const long double want = std::exp(static_cast<long double>(x));
    EXPECT_LE(std::abs((static_cast<long double>(portable_exp(x)) - want) / want), 7e-16L) << x;
  }
}

TEST(Maths, LogIsWithinThreeUlpOfTheReference) {
  for (double x = 1e-300; x < 1e300; x *= 1.9331) {
    const long double want = std::log(static_cast<long double>(x));
    EXPECT_LE(std::abs((static_cast<long double>(portable_log(x)) - want) / want), 7e-16L) << x;
  }
}

TEST(Maths, PowLosesNoMoreThanItsExponentDemands) {
  for (double y = -30; y <= 30; y += 0.37) {
    const long double want = std::pow(1.7L, static_cast<long double>(y));
    EXPECT_LE(std::abs((static_cast<long double>(portable_pow(1.7, y)) - want) / want), 1e-14L) << y;
  }
}

TEST(Maths, EdgesAreWhatTheStandardSays) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_pow(3, 0), 1);
  EXPECT_EQ(portable_exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable_exp(-1000), 0);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
}

// The same bits on every compiler: these literals were printed once and must never change.
TEST(Maths, BitsAreTheSameEverywhere) {
  EXPECT_EQ(portable_exp(1), 0x1.5bf0a8b14576ap+1);
  EXPECT_EQ(portable_log(10), 0x1.26bb1bbb55516p+1);
}

}  // namespace
}  // namespace moesim
