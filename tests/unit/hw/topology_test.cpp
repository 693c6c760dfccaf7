#include "hw/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <queue>

#include "base/error.h"
#include "support/profiles.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

HwProfile fabric(FabricKind kind, std::vector<FabricLevel> levels, double taper = 1) {
  test::FabricNumbers f;
  f.domain = f.gpus_per_node = 2;
  f.levels = std::move(levels);
  f.taper = taper;
  HwProfile hw = test::machine("small", f);
  hw.scale_out.topology.kind = kind;
  return hw;
}

/// Switches and cables, built one by one.
struct Switches {
  std::map<int, std::vector<int>> joined;
  void cable(int a, int b) { joined[a].push_back(b), joined[b].push_back(a); }
  /// Switches on a shortest way, both ends counted.
  int passed(int from, int to) const {
    std::map<int, int> far{{from, 1}};
    for (std::queue<int> open({from}); !open.empty(); open.pop())
      for (const int next : joined.count(open.front()) ? joined.at(open.front()) : std::vector<int>{})
        if (far.emplace(next, far[open.front()] + 1).second) open.push(next);
    return far.at(to);
  }
};

void expect_routes(const HwProfile& hw, const Switches& s, std::uint32_t gpus, const std::function<int(std::uint32_t)>& leaf) {
  const Topology t(hw);
  int most = 0;
  for (std::uint32_t a = 0; a < gpus; ++a)
    for (std::uint32_t b = 0; b < gpus; ++b) {
      const Route r = t.route(Rank(a), Rank(b));
      if (r.level == Route::kInside) continue;
      // Not every pair of switches of two groups is equally far: a route stands for the farthest.
      EXPECT_GE(r.switches, s.passed(leaf(a), leaf(b))) << a << " " << b;
      most = std::max(most, s.passed(leaf(a), leaf(b)));
    }
  EXPECT_EQ(t.levels().back().switches, most);
}

TEST(Topology, ATreeIsAsDeepAsItsSwitches) {
  // Leaves of 4 GPUs, pods of 8 under two spines, all under two cores.
  const HwProfile hw = fabric(FabricKind::tree, {test::level("leaf", 4, 1e-6), test::level("pod", 8, 2e-6), test::level("core", 0, 3e-6)});
  Switches s;
  for (int leaf = 0; leaf < 4; ++leaf)
    for (int spine = 0; spine < 2; ++spine) s.cable(leaf, 10 + leaf / 2 * 2 + spine);
  for (int spine = 0; spine < 4; ++spine)
    for (int core = 0; core < 2; ++core) s.cable(10 + spine, 20 + core);
  expect_routes(hw, s, 16, [](std::uint32_t g) { return static_cast<int>(g / 4); });
  const Topology t(hw);
  EXPECT_EQ(t.route(Rank(0), Rank(2)).switches, 1);
  EXPECT_EQ(t.route(Rank(0), Rank(4)).switches, 3);
  EXPECT_EQ(t.route(Rank(0), Rank(8)).switches, 5);
  EXPECT_FALSE(t.route(Rank(0), Rank(4)).over_uplinks);
  EXPECT_TRUE(t.route(Rank(0), Rank(8)).over_uplinks);
  EXPECT_EQ(t.gpus_below(), 8);
}

TEST(Topology, ADragonflyHasFourSwitchesAtMost) {
  // Four groups of three switches of 2 GPUs, all joined inside; each pair of groups has one global link, from switches that take turns.
  const HwProfile hw = fabric(FabricKind::dragonfly, {test::level("switch", 2, 1e-6), test::level("group", 6, 2e-6), test::level("all", 0, 3e-6)});
  Switches s;
  for (int group = 0; group < 4; ++group)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) s.cable(group * 3 + a, group * 3 + b);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) s.cable(a * 3 + b % 3, b * 3 + (a + 1) % 3);
  expect_routes(hw, s, 24, [](std::uint32_t g) { return static_cast<int>(g / 2); });
}

TEST(Topology, ADragonflyPlusPassesLeafAndSpineOfBothGroups) {
  // Three groups of two leaves under two spines; global links between spines.
  const HwProfile hw = fabric(FabricKind::dragonfly_plus, {test::level("leaf", 2, 1e-6), test::level("group", 4, 2e-6), test::level("all", 0, 3e-6)});
  Switches s;
  for (int group = 0; group < 3; ++group)
    for (int leaf = 0; leaf < 2; ++leaf)
      for (int spine = 0; spine < 2; ++spine) s.cable(group * 2 + leaf, 10 + group * 2 + spine);
  for (int spine = 0; spine < 2; ++spine)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) s.cable(10 + a * 2 + spine, 10 + b * 2 + spine);
  expect_routes(hw, s, 12, [](std::uint32_t g) { return static_cast<int>(g / 2); });
}

TEST(Topology, InsideADomainAMeshHasALinkAPairAndASwitchAllLinks) {
  const HwProfile alps = test::alps(), h100 = test::dgx_h100();
  const Route mesh = Topology(alps).route(Rank(0), Rank(3)), behind = Topology(h100).route(Rank(0), Rank(3));
  EXPECT_EQ(mesh.switches, 0);
  EXPECT_EQ(mesh.rate, Bandwidth{150e9});
  EXPECT_EQ(behind.switches, 1);
  EXPECT_EQ(behind.rate, Bandwidth{450e9});
  EXPECT_EQ(Topology(alps).route(Rank(3), Rank(4)).rate, Bandwidth{25e9});
}

TEST(Topology, UplinksAreTheNicsOverTheTaper) {
  // SuperPOD: 32 nodes of 8 under 8 leaves of 32 ports up each.
  EXPECT_DOUBLE_EQ(Topology(test::dgx_h100()).uplinks(), 256);
  EXPECT_FALSE(Topology(test::dgx_h100()).binds());
  const HwProfile alps = load_hw_profile("alps-gh200", kData);
  EXPECT_NEAR(Topology(alps).uplinks(), 512 / 1.5, 1e-9);
  EXPECT_NEAR(Topology(alps).uplink_share(), 1 / 1.5, 1e-9);
}

HwProfile changed(const std::string& base, const std::string& scale_out) {
  return load_hw_profile(Document::parse(R"({"extends": ")" + base + R"(", "name": "mine", "scale_out": )" + scale_out + "}", "mine.json"), kData);
}

TEST(Topology, TheTaperFollowsFromGlobalLinksUnlessGiven) {
  // Aurora: 32 switches of 16 NICs a group, two links to each of 165 other groups: 512 / 330 = 1.55.
  const std::string links = R"({"topology": {"taper": null, "groups": 166, "global_links_per_group_pair": 2}})";
  EXPECT_NEAR(changed("alps-gh200", links).scale_out.topology.taper.value, 512.0 / 330, 1e-12);
  EXPECT_EQ(changed("alps-gh200", R"({"topology": {"groups": 166, "global_links_per_group_pair": 2}})").scale_out.topology.taper.value, 1.5);
}

TEST(Topology, AHashLeavesLessOfTheUplinksThanAdaptiveRouting) {
  const auto share = [](const std::string& topology) { return Topology(changed("dgx-h100", R"({"topology": )" + topology + "}")).uplink_share(); };
  EXPECT_EQ(share(R"({"routing": "adaptive"})"), 1);
  const double few = share(R"({"routing": "ecmp", "flows_per_gpu": 1})"), many = share(R"({"routing": "ecmp", "flows_per_gpu": 64})");
  EXPECT_NEAR(few, 1 / 3.53, 0.02);   // 32 flows over the 32 uplinks of a leaf: 3.53 on the fullest (drawn)
  EXPECT_GT(many, 2 * few);
  EXPECT_LT(many, 1);
}

TEST(Topology, ATaperAloneLeavesTheMeasuredCollectives) {
  EXPECT_NE(changed("aws-p5-h100", R"({"topology": {"taper": 2}})").scale_out.curves, nullptr);
  EXPECT_EQ(changed("aws-p5-h100", R"({"topology": {"taper": 2}})").scale_out.timed_on, nullptr);
  EXPECT_NE(changed("aws-p5-h100", R"({"base_latency": "9 us"})").scale_out.timed_on, nullptr);
}

class ShippedTopology : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedTopology, SaysItsTaperWithAGradeAndHowItKnows) {
  const HwProfile hw = load_hw_profile(GetParam(), kData);
  const Sourced<double>& taper = hw.scale_out.topology.taper;
  EXPECT_GE(taper.value, 1);
  EXPECT_THAT(taper.source, ::testing::Not(::testing::IsEmpty()));
  const Topology t(hw);
  for (std::size_t i = 1; i < t.levels().size(); ++i) {
    EXPECT_GT(t.levels()[i].switches, t.levels()[i - 1].switches);
    EXPECT_GE(t.levels()[i].latency, t.levels()[i - 1].latency);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedTopology, ::testing::ValuesIn(hw_profile_names(kData)), [](const auto& i) {
  std::string out = i.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
});

TEST(EvenDomain, IsTheMostGpusOfADomainThatEachCanHave) {
  const HwProfile gb200 = load_hw_profile("gb200-nvl72", MOESIM_SOURCE_DIR), h100 = test::dgx_h100();
  EXPECT_EQ(even_domain(512, gb200), 64);
  EXPECT_EQ(even_domain(1024, gb200), 64);
  EXPECT_EQ(even_domain(100, gb200), 20);   // nodes of 4
  EXPECT_EQ(even_domain(12, h100), 4);
  for (const std::int64_t fine : {8, 72, 144}) EXPECT_FALSE(even_domain(fine, gb200)) << fine;
  EXPECT_FALSE(even_domain(13, h100));
}

}  // namespace
}  // namespace moesim
