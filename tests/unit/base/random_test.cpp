#include "base/random.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

TEST(RandomStream, IsAFunctionOfItsKey) {
  RandomStream a(7, "load", {1, 2}), b(7, "load", {1, 2});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a(), b());
}

TEST(RandomStream, EveryPartOfTheKeyMatters) {
  const auto first = [](RandomStream s) { return s(); };
  const auto base = first({7, "load", {1, 2}});
  EXPECT_NE(base, first({8, "load", {1, 2}}));
  EXPECT_NE(base, first({7, "loae", {1, 2}}));
  EXPECT_NE(base, first({7, "load", {2, 1}}));
  EXPECT_NE(base, first({7, "load", {1, 2, 0}}));
}

// Mean of n uniform words over 2^64: sigma = 1 / sqrt(12 n) = 0.0009 for n = 1e5; 5 sigma.
TEST(RandomStream, NeighbouringKeysAreUniformAndUncorrelated) {
  double mean = 0, product = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = static_cast<double>(RandomStream(1, "x", {i})()) * 0x1p-64;
    const double y = static_cast<double>(RandomStream(1, "x", {i + 1})()) * 0x1p-64;
    mean += x;
    product += (x - 0.5) * (y - 0.5);
  }
  EXPECT_NEAR(mean / 100'000, 0.5, 0.0046);
  EXPECT_NEAR(product / 100'000, 0, 5 / 12.0 / 316.0);
}

}  // namespace
}  // namespace moesim
