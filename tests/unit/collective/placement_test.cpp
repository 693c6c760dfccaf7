#include "collective/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;
using ::testing::ElementsAre;

TEST(Placement, PutsNeighboursIntoDomainsOfTheMachine) {
  const Placement p = place(ranks(4, 6), test::dgx_h100());   // 6 7 | 8 9
  EXPECT_EQ(p.ranks, 4);
  EXPECT_EQ(p.domains, 2);
  EXPECT_THAT(p.domain_of, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(p.in_domain, ElementsAre(2, 2));
  EXPECT_TRUE(p.symmetric());
}

TEST(Placement, NumbersDomainsByFirstAppearance) {
  const std::vector<Rank> members{Rank(17), Rank(0), Rank(18), Rank(1), Rank(2)};
  const Placement p = place(members, test::dgx_h100());
  EXPECT_THAT(p.domain_of, ElementsAre(0, 1, 0, 1, 1));
  EXPECT_THAT(p.in_domain, ElementsAre(2, 3));
  EXPECT_EQ(p.peers_inside(1), 2);
  EXPECT_EQ(p.peers_inside(2), 1);
}

TEST(Placement, IsNotSymmetricWhenAGroupStraddlesUnequally) {
  EXPECT_FALSE(place(ranks(3, 6), test::dgx_h100()).symmetric());   // 6 7 | 8
  EXPECT_TRUE(place(ranks(3, 0, 8), test::dgx_h100()).symmetric());
}

TEST(Placement, HasNoNetworkLatencyInsideADomain) {
  EXPECT_EQ(place(ranks(8), test::dgx_h100()).network_latency, Time{0});
  EXPECT_EQ(place(ranks(1, 5), test::dgx_h100()).network_latency, Time{0});
}

TEST(Placement, TakesTheLatencyOfTheNearestLevelThatHoldsAllMembers) {
  const HwProfile alps = test::alps();   // 16 GPUs a switch: 4.33 us, else 5.56 us
  EXPECT_EQ(place(ranks(8), alps).network_latency, 4'330 * kNanosecond);
  EXPECT_EQ(place(ranks(8, 12), alps).network_latency, 5'560 * kNanosecond);   // 12..19 lie on two switches
  EXPECT_EQ(place(ranks(2, 0, 1000), alps).network_latency, 5'560 * kNanosecond);
}

TEST(Placement, BeyondTheLastLevelKeepsItsLatency) {
  HwProfile hw = test::alps();
  hw.scale_out.levels.pop_back();
  EXPECT_EQ(place(ranks(2, 0, 1000), hw).network_latency, 4'330 * kNanosecond);
  hw.scale_out.levels.clear();
  EXPECT_EQ(place(ranks(2, 0, 1000), hw).network_latency, Time{0});
}

TEST(Placement, OfAnNvl72RackIsOneDomain) {
  EXPECT_EQ(place(ranks(72), test::gb200_nvl72()).domains, 1);
  EXPECT_EQ(place(ranks(73), test::gb200_nvl72()).domains, 2);
}

}  // namespace
}  // namespace moesim
