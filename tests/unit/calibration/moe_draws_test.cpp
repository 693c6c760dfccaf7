#include "calibration/moe_draws.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

MoeLoad mean(const MoeDeal& d) { return MoeDraws().loads(d)->mean; }

TEST(MoeDraws, BalancedDealsTheFirstRankItsPart) {
  // 256 experts of which 8 are picked, 32 apart: rank 0 of 8 has those of the first pick.
  const MoeLoad l = mean({4096, 8, 256, 8});
  EXPECT_EQ(l.rows, 4096);
  EXPECT_EQ(l.touched, 32);
  EXPECT_EQ(l.hottest, 128);
  EXPECT_EQ(mean({4096, 8, 256, 1}).rows, 8 * 4096);
  EXPECT_EQ(MoeDraws().loads({4096, 8, 256, 8})->draws.size(), 1U);
}

TEST(MoeDraws, BalancedSpreadsFewTokensOverTheStride) {
  // 2 tokens, stride 32: picks 0, 16 and 32 further on; 16 local experts see one, 32 both.
  EXPECT_EQ(mean({2, 8, 256, 16}).rows, 1);
  EXPECT_EQ(mean({2, 8, 256, 8}).rows, 2);
}

TEST(MoeDraws, PowerLawDealsEveryPairAndTimesTheHeaviestRank) {
  for (const double alpha : {1.0, 1.01, 1.2}) {
    const auto whole = MoeDraws().loads({4096, 8, 128, 1, alpha}), heaviest = MoeDraws().loads({4096, 8, 128, 16, alpha});
    EXPECT_EQ(whole->draws.size(), 100U);
    for (const MoeLoad& l : whole->draws) {
      EXPECT_LE(l.hottest, 4096);
      EXPECT_LE(l.rows, 8 * 4096);
      EXPECT_GE(l.rows, 0.8 * 8 * 4096);   // less only what one expert may not have
    }
    for (const MoeLoad& l : heaviest->draws) EXPECT_GE(l.rows * 16, 0.8 * 8 * 4096);
    EXPECT_GT(heaviest->mean.rows * 16, 1.5 * whole->mean.rows);
  }
}

TEST(MoeDraws, ALargerExponentIsMoreSkewed) { EXPECT_GT(mean({8192, 8, 256, 64, 2.0}).rows, mean({8192, 8, 256, 64, 0.5}).rows); }

TEST(MoeDraws, AreTheSameEachTime) {
  MoeDraws twice;
  EXPECT_EQ(twice.loads({512, 2, 8, 4, 1.2}), twice.loads({512, 2, 8, 4, 1.2}));
  EXPECT_EQ(mean({512, 2, 8, 4, 1.2}).tiles, mean({512, 2, 8, 4, 1.2}).tiles);
}

TEST(MoeDraws, GroupedRoutingKeepsHalfOfBalancedPicksAndTakesTheFirstExpertsForTheRest) {
  // Each token has one pick in each of 8 groups of 32; the first 4 groups are kept, and experts 0 to 3 fill up.
  const MoeDeal d{4096, 8, 256, 1, 0, MoeRouting::grouped};
  const MoeLoad all = mean(d);
  EXPECT_EQ(all.rows, 8 * 4096);
  EXPECT_EQ(all.touched, 128);
  EXPECT_GE(all.hottest, 4096 - 128);
  MoeDeal half = d;
  half.ep = 2;
  EXPECT_EQ(mean(half).rows, all.rows);   // the other ranks get nothing
  half.ep = 64;
  EXPECT_GT(mean(half).rows, 0.49 * all.rows);
  EXPECT_LT(mean(half).rows, 0.51 * all.rows);
}

TEST(MoeDraws, GroupedRoutingRoutesEveryPairOfDrawnTokens) {
  const auto loads = MoeDraws().loads({1000, 8, 256, 1, 1.2, MoeRouting::grouped});
  for (const MoeLoad& l : loads->draws) EXPECT_EQ(l.rows, 8000);
}

TEST(MoeDraws, PopularExpertsAreDealtApart) {
  // Experts stand in line by popularity, so those of rank 0 of 32, one of the first group, meet others of many groups: its group is kept and
  // filled up for some tokens more, 2.3 times what was dealt. In the order of their numbers neighbours would share tokens: 4 times.
  MoeDeal d{4096, 8, 256, 32, 1.2};
  const double dealt = mean(d).rows;
  d.routing = MoeRouting::grouped;
  EXPECT_LT(mean(d).rows, 2.6 * dealt);
  EXPECT_GT(mean(d).rows, 1.9 * dealt);
}

TEST(MoeDraws, GroupsOfOneExpertCollapse) {
  const MoeLoad l = mean({64, 2, 8, 8, 0, MoeRouting::grouped});
  EXPECT_EQ(l.rows, 128);
  EXPECT_EQ(l.touched, 1);
}

}  // namespace
}  // namespace moesim
