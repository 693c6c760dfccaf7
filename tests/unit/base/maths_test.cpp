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

TEST(Maths, SmallestAndLargestNumbersAreNoExceptions) {
  for (const double x : {5e-324, 1e-310, 2.3e-308, 1.7e308}) {
    const long double want = std::log(static_cast<long double>(x));
    EXPECT_LE(std::abs((static_cast<long double>(portable_log(x)) - want) / want), 7e-16L) << x;
  }
  for (const double x : {-744.0, -708.5, -693.2, 693.2, 709.7}) {
    const long double want = std::exp(static_cast<long double>(x));
    EXPECT_LE(std::abs(static_cast<long double>(portable_exp(x)) - want), 5e-324L + 7e-16L * want) << x;
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
  EXPECT_TRUE(std::isfinite(portable_exp(0x1.62e42fefa39efp+9)));   // log of the largest double
  EXPECT_EQ(portable_exp(0x1.62e42fefa39f0p+9), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable_exp(-745), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(portable_log(0), -std::numeric_limits<double>::infinity());
}

// The same bits on every compiler: these literals were printed once and must never change.
TEST(Maths, BitsAreTheSameEverywhere) {
  EXPECT_EQ(portable_exp(1), 0x1.5bf0a8b14576ap+1);
  EXPECT_EQ(portable_log(10), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(portable_exp(-700.25), 0x1.af5fe9a485c8ep-1011);
  EXPECT_EQ(portable_exp(13.7), 0x1.b303e54fb3872p+19);
  EXPECT_EQ(portable_exp(709.5), 0x1.81e9b4b52d0c9p+1023);
  EXPECT_EQ(portable_log(1e-310), -0x1.64e69394d9508p+9);
  EXPECT_EQ(portable_log(1.0000001), 0x1.ad7f2847b6491p-24);
  EXPECT_EQ(portable_log(1e300), 0x1.5963447f87fb5p+9);
  EXPECT_EQ(portable_pow(128, -1.2), 0x1.8406003b2ae5ep-9);
  EXPECT_EQ(portable_pow(3, 0.7), 0x1.142e81c889914p+1);
}

}  // namespace
}  // namespace moesim
