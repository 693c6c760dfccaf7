#include "collective/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "moe/dispatch_plan.h"

namespace moesim {
namespace {

/// By listing every choice of `limit` groups and, in them, of k experts (bit masks): the share that has an expert below `experts`.
double by_listing(const Spread& s, std::int64_t experts) {
  const std::uint32_t group = static_cast<std::uint32_t>(s.num_experts / s.groups);
  double hit = 0, all = 0;
  for (std::uint32_t open = 0; open < (1u << s.groups); ++open) {
    if (std::popcount(open) != s.limit) continue;
    for (std::uint32_t chosen = 0; chosen < (1u << s.num_experts); ++chosen) {
      if (std::popcount(chosen) != s.top_k) continue;
      bool allowed = true;
      for (std::uint32_t e = 0; e < static_cast<std::uint32_t>(s.num_experts); ++e)
        if ((chosen >> e & 1) && !(open >> (e / group) & 1)) allowed = false;
      if (!allowed) continue;
      all += 1;
      if (chosen & ((1u << experts) - 1)) hit += 1;
    }
  }
  return hit / all;
}

TEST(Spread, IsTheHypergeometricChanceOfAHit) {
  // 2 of 4 experts drawn, the place holds 2: misses only if both others are drawn, 1 of 6.
  EXPECT_DOUBLE_EQ((Spread{4, 2}.reach(2)), 5.0 / 6);
  EXPECT_DOUBLE_EQ((Spread{4, 1}.reach(1)), 0.25);
  EXPECT_DOUBLE_EQ((Spread{4, 2}.reach(4)), 1);
  EXPECT_DOUBLE_EQ((Spread{4, 3}.reach(2)), 1);   // the other two cannot hold three
}

TEST(Spread, AgreesWithTheExpectedNumberOfPlaces) {
  for (const std::int64_t places : {1, 2, 4, 8, 32, 64})
    EXPECT_NEAR(static_cast<double>(places) * (Spread{256, 8}.reach(256 / places)), expected_places(256, 8, places), 1e-9) << places;
}

TEST(Spread, UnderAGroupLimitMatchesAListOfAllChoices) {
  for (const std::int64_t limit : {1, 2, 3})
    for (const std::int64_t experts : {1, 2, 4, 6, 8, 12}) {
      const Spread s{12, 2, 6, limit};
      if (experts > 1 && experts % 2) continue;
      EXPECT_NEAR(s.reach(experts), by_listing(s, experts), 1e-12) << "limit " << limit << " experts " << experts;
    }
}

TEST(Spread, ALimitOfAllGroupsLimitsNothing) {
  EXPECT_DOUBLE_EQ((Spread{256, 8, 8, 8}.reach(32)), (Spread{256, 8}.reach(32)));
  EXPECT_DOUBLE_EQ((Spread{256, 8, 8, 0}.reach(32)), (Spread{256, 8}.reach(32)));
}

TEST(Spread, NodeLimitedRoutingTouchesFewerNodes) {
  // DeepSeek-V3 on 8 nodes: 4 of 8 groups leave at most 4 nodes; 3.6 on average.
  const double nodes = 8 * Spread{256, 8, 8, 4}.reach(32);
  EXPECT_LT(nodes, 4);
  EXPECT_GT(nodes, 3.5);
}

TEST(Spread, UnevenLoadMovesBetweenNothingAndEveryToken) {
  for (const Spread& s : {Spread{256, 8}, Spread{256, 8, 8, 4}})
    for (const std::int64_t experts : {2, 32, 64}) {
      const PlaceReach place(s, experts);
      EXPECT_NEAR(place.at(8 * static_cast<double>(experts) / 256), s.reach(experts), 1e-12);
      EXPECT_DOUBLE_EQ(place.at(0), 0);
      EXPECT_NEAR(place.at(static_cast<double>(std::min<std::int64_t>(8, experts))), 1, 1e-12);
      double before = 0;
      for (double copies = 0.02; copies < 8; copies += 0.02) {
        const double now = place.at(copies);
        EXPECT_GE(now, before);
        EXPECT_LE(now, copies);
        EXPECT_LE(now, 1 + 1e-12);
        before = now;
      }
    }
}

TEST(Spread, OneExpertAPlaceHasNothingToMerge) {
  EXPECT_NEAR(PlaceReach(Spread{64, 8}, 1).at(0.3), 0.3, 1e-12);
  EXPECT_NEAR(PlaceReach(Spread{64, 1}, 8).at(0.3), 0.3, 1e-12);   // nor has a token with one copy
}

}  // namespace
}  // namespace moesim
