#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moesim {
namespace {

TEST(RandomStream, IsAFunctionOfItsKey) {
  RandomStream a(7, "load", {1, 2}), b(7, "load", {1, 2});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a(), b());
}

// The same words on every compiler: printed once, they must never change.
TEST(RandomStream, WordsAreTheSameEverywhere) {
  RandomStream plain(0, ""), keyed(7, "moe.load.zipf", {3, -1, 2});
  for (const std::uint64_t word : {0x9919fd866233a094u, 0x6e1faca3982d71e0u, 0xfebea17aad165241u}) EXPECT_EQ(plain(), word);
  for (const std::uint64_t word : {0xab266c0b39ab53f5u, 0x0d6255705420a18fu, 0xa09295542066c70du}) EXPECT_EQ(keyed(), word);
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

// As above, along the other ways that two streams can be neighbours: the seed, the name and the draw.
TEST(RandomStream, NeighbouringSeedsNamesAndDrawsAreUncorrelated) {
  constexpr int n = 100'000;
  const double bound = 5 / 12.0 / std::sqrt(n);   // 5 sigma of the mean of products of two centred uniforms
  const auto centred = [](std::uint64_t word) { return static_cast<double>(word) * 0x1p-64 - 0.5; };
  double seeds = 0, names = 0, draws = 0;
  RandomStream one(1, "x");
  for (int i = 0; i < n; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    seeds += centred(RandomStream(seed, "x")()) * centred(RandomStream(seed + 1, "x")());
    names += centred(RandomStream(seed, "x")()) * centred(RandomStream(seed, "y")());
    const double first = centred(one());
    draws += first * centred(one());
  }
  EXPECT_NEAR(seeds / n, 0, bound);
  EXPECT_NEAR(names / n, 0, bound);
  EXPECT_NEAR(draws / n, 0, bound);
}

}  // namespace
}  // namespace moesim
