// Fabrics whose last level has less bandwidth than the NICs below it.
#include "collective/uplinks.h"

#include <gtest/gtest.h>

#include "collective/collective.h"
#include "collective/dispatcher.h"
#include "support/profiles.h"
#include "unit/collective/together.h"

namespace moesim {
namespace {

using test::ranks;
constexpr std::size_t kOut = static_cast<std::size_t>(Port::uplink_out), kIn = static_cast<std::size_t>(Port::uplink_in);
constexpr CollectiveOp kOps[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all, CollectiveOp::broadcast};

/// Nodes of 8 H100, pods of two nodes, a core with 1 / taper of the pods' NICs.
HwProfile pods(double taper) {
  HwProfile hw = test::dgx_h100();
  hw.scale_out.levels = {test::level("pod", 16, 2.8e-6), test::level("core", 0, 3.7e-6)};
  hw.scale_out.topology.taper = test::sourced(taper);
  return hw;
}

Transfer transfer(CollectiveOp op, std::int64_t bytes, std::uint32_t n, const HwProfile& hw) { return collective(op, Bytes{bytes}, place(ranks(n), hw), hw).transfer; }
Time total(const Transfer& t) { return t.latency + t.span; }

TEST(Uplinks, AnAllToAllOverKPodsTakesWhatCrossesTheCut) {
  // Of S bytes a rank (k - 1) / k leave its pod; its share of the uplinks is 50 GB/s over the taper.
  constexpr std::int64_t kBytes = std::int64_t{1} << 36;
  for (const double taper : {2.0, 4.0, 10.0})
    for (const std::uint32_t k : {2u, 3u, 4u, 8u}) {
      const Transfer t = transfer(CollectiveOp::all_to_all, kBytes, 16 * k, pods(taper));
      const double crossing = static_cast<double>(kBytes) * (k - 1) / k;
      EXPECT_NEAR(static_cast<double>(t.members[0].bytes[kOut]), crossing, 64.0 * k);
      const double over_nic = static_cast<double>(kBytes) * (16.0 * k - 8) / (16.0 * k) / (0.85 * 50e9);
      EXPECT_NEAR(seconds(t.span), std::max(over_nic, crossing * taper / 50e9), 1e-2) << taper << " " << k;
    }
}

TEST(Uplinks, OnlyTheLastNodeOfAPodPassesARingOn) {
  // 64 ranks, 4 pods of two nodes: each pod sends what one node's 8 NICs carry over uplinks that 16 GPUs share.
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
    const Transfer t = transfer(op, std::int64_t{1} << 30, 64, pods(4));
    EXPECT_EQ(t.members[0].bytes[kOut], t.members[0].bytes[2] / 2) << name(op);
    EXPECT_EQ(t.members[0].bytes[kIn], t.members[0].bytes[3] / 2) << name(op);
  }
}

TEST(Uplinks, AGroupOfOneRankANodeStandsForItsSevenSiblings) {
  // Ranks 0, 8, 16 .. 56 of a job of 64: each pod holds 2 members of this group and 14 of seven others that do the same.
  const HwProfile hw = pods(4);
  const Transfer siblings = collective(CollectiveOp::all_to_all, Bytes{1 << 30}, place(ranks(8, 0, 8), hw, 64), hw).transfer;
  EXPECT_NEAR(static_cast<double>(siblings.members[0].bytes[kOut]), (1 << 30) * 0.75, 16);
  // A job of these pods and a node more: the last pod is half empty, and its uplinks are there for 8.
  const Placement p = place(ranks(9, 0, 8), hw, 72);
  ASSERT_TRUE(p.cut.has_value());
  EXPECT_DOUBLE_EQ(p.cut->places.front().crowd, 16 / 16.0 / 2);
  EXPECT_DOUBLE_EQ(p.cut->places.back().crowd, 8 / 16.0 / 1);
}

TEST(Uplinks, AGroupInsideOnePodDoesNotLoadThem) {
  const HwProfile hw = pods(100);
  EXPECT_FALSE(place(ranks(16), hw).cut.has_value());
  EXPECT_TRUE(place(ranks(16, 8), hw).cut.has_value());
  EXPECT_EQ(total(transfer(CollectiveOp::all_to_all, 1 << 28, 16, hw)), total(transfer(CollectiveOp::all_to_all, 1 << 28, 16, pods(1))));
}

TEST(Uplinks, ATaperOfOneChangesNothingAndMoreIsNeverFaster) {
  for (const CollectiveOp op : kOps)
    for (const std::uint32_t n : {8u, 16u, 20u, 40u, 64u, 200u})
      for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1} << 20, std::int64_t{1} << 33}) {
        HwProfile flat = pods(1);
        flat.scale_out.topology.spread = 1;
        Time before = total(transfer(op, bytes, n, flat));
        EXPECT_EQ(transfer(op, bytes, n, flat).members[0].bytes[kOut], 0);
        for (const double taper : {0.5, 1.0, 1.5, 3.0, 20.0}) {
          const Time now = total(transfer(op, bytes, n, pods(taper)));
          if (taper <= 1) {
            EXPECT_EQ(now, before) << name(op) << " " << n << " " << bytes;
          }
          EXPECT_GE(now, before) << name(op) << " " << n << " " << bytes << " taper " << taper;
          before = now;
        }
      }
}

TEST(Uplinks, AHashIsNeverFasterThanAdaptiveRouting) {
  for (const double taper : {1.0, 3.0}) {
    const HwProfile adaptive = pods(taper);
    HwProfile hashed = adaptive;
    hashed.scale_out.topology.spread = 0.4;
    for (const CollectiveOp op : kOps)
      for (const std::uint32_t n : {32u, 40u, 200u}) EXPECT_GE(total(transfer(op, 1 << 30, n, hashed)), total(transfer(op, 1 << 30, n, adaptive))) << name(op) << " " << n;
    EXPECT_NEAR(seconds(transfer(CollectiveOp::all_to_all, std::int64_t{1} << 36, 32, hashed).span), (std::int64_t{1} << 35) * taper / 0.4 / 50e9, 1e-3);
  }
}

TEST(Uplinks, DispatchersCrossThemOnceOrForEachCopy) {
  // 4 pods; a token of top-8 of 64 experts: with deepep one copy a node, so two a pod at most; with alltoall one an expert.
  const HwProfile hw = pods(4);
  const Placement p = place(ranks(64), hw);
  const ExchangeShape shape{4096, 2048, DType::bf16, 64, 8};
  std::vector<RankLoad> loads(64);
  for (RankLoad& l : loads) l.tokens = l.received = 4096 * 8;
  const Transfer all = dispatchers().make("alltoall")->dispatch(shape, loads, p, hw), once = dispatchers().make("deepep")->dispatch(shape, loads, p, hw);
  EXPECT_NEAR(static_cast<double>(all.members[0].bytes[kOut]), 4096 * 8 * 4096.0 * 0.75, 1e3);
  // A node of 8 experts is missed with C(56,8) / C(64,8) = 0.3209; 6 nodes lie in other pods.
  EXPECT_NEAR(static_cast<double>(once.members[0].bytes[kOut]), 4096 * 4096.0 * 6 * (1 - 0.3209), 1e5);
  const Transfer back = dispatchers().make("deepep")->combine(shape, loads, p, hw);
  EXPECT_EQ(back.members[0].bytes[kOut], once.members[0].bytes[kIn]);
  EXPECT_GE(once.span, Time{static_cast<std::int64_t>(static_cast<double>(once.members[0].bytes[kOut]) / 12.5e9 * 1e12)});
}

TEST(Uplinks, GradientsATokenExchangeAndMessagesBetweenStagesShareThem) {
  const HwProfile hw = pods(8);
  const Transfer tokens = transfer(CollectiveOp::all_to_all, std::int64_t{1} << 32, 32, hw);
  const Transfer gradients = transfer(CollectiveOp::reduce_scatter, std::int64_t{1} << 36, 32, hw);
  // Every rank sends activations to the next stage, in the other pod.
  Transfer message = collective(CollectiveOp::send_recv, Bytes{std::int64_t{1} << 30}, place(std::vector{Rank(0), Rank(16)}, hw, 32), hw).transfer;
  message.members = {{{0, 0, message.members[0].bytes[2], message.members[1].bytes[3], message.members[0].bytes[kOut], message.members[1].bytes[kIn]}, message.span}};
  EXPECT_EQ(message.members[0].bytes[kOut], std::int64_t{1} << 30);
  std::int64_t crossing = 0;
  Time longest{0}, in_turn{0};
  for (const Transfer* t : std::initializer_list<const Transfer*>{&tokens, &gradients, &message}) {
    crossing += t->members[0].bytes[kOut];
    longest = std::max(longest, total(*t));
    in_turn += total(*t);
  }
  const double all = seconds(together({tokens, gradients, message}, 32, hw));
  EXPECT_GE(all, static_cast<double>(crossing) * 8 / 50e9);   // what crosses the cut, at the rank's share of it
  EXPECT_GT(all, 1.05 * seconds(longest));
  EXPECT_LE(all, seconds(in_turn));
  // Without a taper they meet on the NIC only.
  const HwProfile flat = pods(1);
  EXPECT_LT(seconds(together({transfer(CollectiveOp::all_to_all, std::int64_t{1} << 32, 32, flat), transfer(CollectiveOp::reduce_scatter, std::int64_t{1} << 36, 32, flat)}, 32, flat)), all);
}

/// A pod of 16 whose uplinks are one link, as they are, instead of a port of each rank.
struct OneLink : OnMachine {
  OneLink(const HwProfile& hw, bool shared) : OnMachine(hw), shared_(shared) {}
  std::int64_t capacity(ActorId a, Port port) const override {
    const bool uplink = port == Port::uplink_out || port == Port::uplink_in;
    return OnMachine::capacity(a, port) * (shared_ && uplink ? 16 : 1);
  }
  std::size_t links() const override { return shared_ ? 1 : 0; }
  std::int64_t link_capacity(LinkId) const override { return 16 * OnMachine::capacity(ActorId(0), Port::uplink_out); }

 private:
  bool shared_;
};

/// Two stages of 8 in one pod; each rank sends `bytes` up, the second stage `later` after the first.
Time two_stages(const HwProfile& hw, bool shared, std::int64_t bytes, Time later) {
  OneLink w(hw, shared);
  w.all.resize(16);
  for (std::uint32_t stage = 0; stage < 2; ++stage) {
    std::vector<std::uint32_t> ranks_of;
    for (std::uint32_t r = 0; r < 8; ++r) ranks_of.push_back(8 * stage + r);
    w.add_group(0, ranks_of);
    Transfer t;
    t.span = time_from_seconds(static_cast<double>(bytes) / 50e9);   // of the NIC alone
    t.latency = stage == 0 ? Time{0} : later;
    t.members = {{{0, 0, bytes, 0, bytes, 0}, t.span}};
    if (shared) t.links = {{LinkId(0), 8 * bytes}};
    const std::uint32_t id = w.add_transfer(t);
    for (const std::uint32_t r : ranks_of) w.all[r].steps.push_back(xfer(0, 0, id));
  }
  return run(w).end;
}

TEST(Uplinks, APortARankIsExactWhereAllSendAndAtMostTheTaperTooSlowWhereStagesTakeTurns) {
  constexpr std::int64_t kBytes = 1'000'000'000;
  for (const double taper : {1.5, 2.0, 8.0}) {
    const HwProfile hw = pods(taper);
    const double alone = kBytes / 50e9;
    EXPECT_NEAR(seconds(two_stages(hw, false, kBytes, Time{0})), taper * alone, 1e-9);
    EXPECT_NEAR(seconds(two_stages(hw, true, kBytes, Time{0})), taper * alone, 1e-9);
    for (const double share : {0.25, 0.5, 1.0, 2.0}) {
      const Time later = time_from_seconds(share * alone);
      const double ports = seconds(two_stages(hw, false, kBytes, later)), link = seconds(two_stages(hw, true, kBytes, later));
      EXPECT_GE(ports, link * (1 - 1e-9)) << taper << " " << share;
      EXPECT_LE(ports, std::min(taper, 2.0) * link) << taper << " " << share;
    }
  }
}

}  // namespace
}  // namespace moesim
