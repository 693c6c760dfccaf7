#include "collective/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;
using Loads = std::array<std::int64_t, kPorts>;   // scale-up out, in; scale-out out, in

CollectiveCost run(CollectiveOp op, std::int64_t bytes, const std::vector<Rank>& members, const HwProfile& hw) {
  return collective(op, Bytes{bytes}, place(members, hw), hw);
}

double microseconds(Time t) { return seconds(t) * 1e6; }

constexpr std::int64_t kMB = 1'000'000, kGB = 1'000'000'000;

TEST(Collective, RingAllGatherInADomainMovesWhatEachMemberLacks) {
  // 8 GPUs, 800 MB: 700 MB pass each port; at 0.75 * 450 GB/s that is 2074.07 us. Simple starts in 8.4 us and makes 7 steps of 3.4 us.
  const CollectiveCost c = run(CollectiveOp::all_gather, 800 * kMB, ranks(8), test::dgx_h100());
  EXPECT_EQ(c.algorithm, "ring");
  EXPECT_EQ(c.protocol, "Simple");
  ASSERT_EQ(c.transfer.members.size(), 1u);
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{700 * kMB, 700 * kMB, 0, 0}));
  EXPECT_NEAR(microseconds(c.transfer.span), 700e6 / (0.75 * 450e9) * 1e6, 0.001);
  EXPECT_NEAR(microseconds(c.transfer.latency), 8.4 + 7 * 3.4, 0.001);
}

TEST(Collective, ReduceScatterCostsWhatAllGatherCosts) {
  for (const auto& members : {ranks(8), ranks(16), ranks(4, 0, 8)}) {
    const CollectiveCost gather = run(CollectiveOp::all_gather, 64 * kMB, members, test::dgx_h100());
    const CollectiveCost scatter = run(CollectiveOp::reduce_scatter, 64 * kMB, members, test::dgx_h100());
    EXPECT_EQ(gather.transfer.latency + gather.transfer.span, scatter.transfer.latency + scatter.transfer.span);
  }
}

TEST(Collective, RingAllReduceMovesTwiceTheAllGather) {
  // A100 has no in-switch reduction: 2 * 7/8 of 800 MB = 1400 MB at 0.74 * 300 GB/s.
  // Its LL constants are 9.6 and 0.87 us; Simple is 8.4 / 6.6 and 3.4 / 0.6 of them.
  const CollectiveCost c = run(CollectiveOp::all_reduce, 800 * kMB, ranks(8), test::dgx_a100());
  EXPECT_EQ(c.algorithm, "ring");
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{1400 * kMB, 1400 * kMB, 0, 0}));
  EXPECT_NEAR(microseconds(c.transfer.span), 1400e6 / (0.74 * 300e9) * 1e6, 0.001);
  EXPECT_NEAR(microseconds(c.transfer.latency), 9.6 * 8.4 / 6.6 + 14 * 0.87 * 3.4 / 0.6, 0.001);
}

TEST(Collective, SmallMessagesUseLLAndCostStepsTimesHop) {
  // NCCL: base 6.6 us + 2 (8 - 1) * 0.6 us = 15.0 us; measured on H100: 15.6 us.
  const CollectiveCost c = run(CollectiveOp::all_reduce, 1024, ranks(8), test::dgx_h100());
  EXPECT_EQ(c.protocol, "LL");
  EXPECT_NEAR(microseconds(c.transfer.latency), 15.0, 0.001);
  EXPECT_LT(microseconds(c.transfer.span), 0.1);
}

TEST(Collective, SwitchReducesLargeMessagesAndPassesEachPortOncePlusOneSlice) {
  // NVLS: 800 MB + 100 MB each way. The profile's 1.056 * 450 GB/s of bus bandwidth for 8 GPUs fixes the time: 800 MB * 1.75 / 475.2 GB/s.
  const CollectiveCost c = run(CollectiveOp::all_reduce, 800 * kMB, ranks(8), test::dgx_h100());
  EXPECT_EQ(c.algorithm, "nvls");
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{900 * kMB, 900 * kMB, 0, 0}));
  EXPECT_NEAR(microseconds(c.transfer.span), 800e6 * 1.75 / (1.056 * 450e9) * 1e6, 0.001);
}

TEST(Collective, TwoGpusDoNotUseTheSwitchForReduction) {
  // 1.5 of the buffer over each port instead of 1.0: the ring wins.
  EXPECT_EQ(run(CollectiveOp::all_reduce, kGB, ranks(2), test::dgx_h100()).algorithm, "ring");
}

TEST(Collective, MeshNeverReducesInASwitch) {
  for (std::int64_t bytes : {1L, 1024L, 1048576L, 1073741824L})
    EXPECT_FALSE(run(CollectiveOp::all_reduce, bytes, ranks(4), test::alps()).algorithm.starts_with("nvls"));
}

TEST(Collective, APairOfAMeshHasOneLinkOfThree) {
  // Half of 1.2 GB to each side over 0.755 * 150 GB/s, where four members would have 0.755 * 450 GB/s for 3/4 of it.
  const CollectiveCost two = run(CollectiveOp::all_gather, 1200 * kMB, ranks(2), test::alps());
  const CollectiveCost four = run(CollectiveOp::all_gather, 1200 * kMB, ranks(4), test::alps());
  EXPECT_NEAR(microseconds(two.transfer.span), 600e6 / (0.755 * 150e9) * 1e6, 0.001);
  EXPECT_NEAR(microseconds(four.transfer.span), 900e6 / (0.755 * 450e9) * 1e6, 0.001);
}

TEST(Collective, AllReduceOverNodesLoadsEachNicWithItsShareOfTheNode) {
  // k = 4 nodes of g = 4: 2 (k - 1) / k * S / g = 2 * 3/4 * 1600 MB / 4 = 600 MB a NIC; inside 2 (g - 1) / g * S = 2400 MB.
  const CollectiveCost c = run(CollectiveOp::all_reduce, 1600 * kMB, ranks(16), test::alps());
  EXPECT_EQ(c.algorithm, "hierarchical ring");
  ASSERT_EQ(c.transfer.members.size(), 1u);
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{2400 * kMB, 2400 * kMB, 600 * kMB, 600 * kMB}));
  // The NIC is slower: 600 MB at 0.74 * 25 GB/s, against 2400 MB at 0.755 * 450 GB/s.
  EXPECT_NEAR(microseconds(c.transfer.span), 600e6 / (0.74 * 25e9) * 1e6, 0.001);
}

TEST(Collective, OneMemberANodeMakesARingOfNics) {
  const CollectiveCost c = run(CollectiveOp::all_gather, 800 * kMB, ranks(8, 3, 8), test::dgx_h100());
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{0, 0, 700 * kMB, 700 * kMB}));
  EXPECT_NEAR(microseconds(c.transfer.span), 700e6 / (0.78 * 50e9) * 1e6, 0.001);
  // 7 steps, all between nodes: Simple 8.4 us + 7 * (2 * 2.8 + 8.6) us.
  EXPECT_NEAR(microseconds(c.transfer.latency), 8.4 + 7 * 14.2, 0.001);
}

TEST(Collective, UnequalDomainsLoadMembersByTheSizeOfTheirDomain) {
  // Ranks 5 6 7 | 8 and S = 1200 MB, n = 4. Domain of 3 lacks 1/4 of S: 100 MB into each of three NICs; passes on its 3/4: 300 MB each.
  // The lone member lacks 3/4 = 900 MB, passes on its 300 MB. Inside, 2/3 of S goes round.
  const CollectiveCost c = run(CollectiveOp::all_gather, 1200 * kMB, ranks(4, 5), test::dgx_h100());
  ASSERT_EQ(c.transfer.members.size(), 4u);
  const Loads of_three{800 * kMB, 800 * kMB, 300 * kMB, 100 * kMB}, alone{0, 0, 300 * kMB, 900 * kMB};
  EXPECT_EQ(c.transfer.members[0].bytes, of_three);
  EXPECT_EQ(c.transfer.members[1].bytes, of_three);
  EXPECT_EQ(c.transfer.members[2].bytes, of_three);
  EXPECT_EQ(c.transfer.members[3].bytes, alone);
  // The slowest port bounds all: 900 MB at 0.78 * 50 GB/s.
  EXPECT_NEAR(microseconds(c.transfer.span), 900e6 / (0.78 * 50e9) * 1e6, 0.001);
  for (const Transfer::Member& m : c.transfer.members) EXPECT_EQ(m.done, c.transfer.span);
}

TEST(Collective, ReduceScatterOverUnequalDomainsRunsBackwards) {
  const CollectiveCost gather = run(CollectiveOp::all_gather, 1200 * kMB, ranks(4, 5), test::dgx_h100());
  const CollectiveCost scatter = run(CollectiveOp::reduce_scatter, 1200 * kMB, ranks(4, 5), test::dgx_h100());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(gather.transfer.members[i].bytes[2], scatter.transfer.members[i].bytes[3]);
    EXPECT_EQ(gather.transfer.members[i].bytes[3], scatter.transfer.members[i].bytes[2]);
  }
}

TEST(Collective, AllToAllSendsTheLocalShareInsideAndTheRestOverTheNic) {
  // 16 GPUs on 2 nodes, 1600 MB from each rank, 100 MB to each: 7 peers inside, 8 outside.
  const CollectiveCost c = run(CollectiveOp::all_to_all, 1600 * kMB, ranks(16), test::dgx_h100());
  EXPECT_EQ(c.algorithm, "pairwise");
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{700 * kMB, 700 * kMB, 800 * kMB, 800 * kMB}));
  // 800 MB and the ramps of 8 messages of 64 KiB, at 0.85 * 50 GB/s.
  EXPECT_NEAR(microseconds(c.transfer.span), (800e6 + 8 * 65536) / (0.85 * 50e9) * 1e6, 0.001);
}

TEST(Collective, AllToAllOnAMeshIsBoundByItsPairs) {
  // 4 GPUs, 400 MB each, 100 MB a pair at 0.7 * 150 GB/s.
  const CollectiveCost c = run(CollectiveOp::all_to_all, 400 * kMB, ranks(4), test::alps());
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{300 * kMB, 300 * kMB, 0, 0}));
  EXPECT_NEAR(microseconds(c.transfer.span), 100e6 / (0.7 * 150e9) * 1e6, 0.001);
}

TEST(Collective, ABroadcastPassesEveryLinkOnce) {
  // A chain through all members: 800 MB over each port, over nodes an eighth over each of eight NICs.
  for (const CollectiveOp op : {CollectiveOp::broadcast, CollectiveOp::reduce}) {
    const CollectiveCost inside = run(op, 800 * kMB, ranks(8), test::dgx_h100()), over = run(op, 800 * kMB, ranks(16), test::dgx_h100());
    EXPECT_EQ(inside.transfer.members[0].bytes, (Loads{800 * kMB, 800 * kMB, 0, 0}));
    EXPECT_NEAR(microseconds(inside.transfer.span), 800e6 / (0.75 * 450e9) * 1e6, 0.001);
    EXPECT_EQ(over.transfer.members[0].bytes, (Loads{800 * kMB, 800 * kMB, 100 * kMB, 100 * kMB}));
    EXPECT_NEAR(microseconds(over.transfer.span), 100e6 / (0.78 * 50e9) * 1e6, 0.001);
  }
}

TEST(Collective, SendInsideADomainIsBoundByThePair) {
  const CollectiveCost c = run(CollectiveOp::send_recv, 150 * kMB, ranks(2), test::alps());
  ASSERT_EQ(c.transfer.members.size(), 2u);
  EXPECT_EQ(c.transfer.members[0].bytes, (Loads{150 * kMB, 0, 0, 0}));
  EXPECT_EQ(c.transfer.members[1].bytes, (Loads{0, 150 * kMB, 0, 0}));
  EXPECT_NEAR(microseconds(c.transfer.span), 150e6 / (0.83 * 150e9) * 1e6, 0.001);
}

TEST(Collective, SendBetweenDomainsRampsWithTheMessage) {
  // Half of the bandwidth at 64 KiB: (64 KiB + 64 KiB) / rate. LL would be ten times slower at this size but starts sooner.
  const CollectiveCost large = run(CollectiveOp::send_recv, 100 * kMB, {Rank(0), Rank(8)}, test::dgx_h100());
  EXPECT_EQ(large.transfer.members[0].bytes, (Loads{0, 0, 100 * kMB, 0}));
  EXPECT_EQ(large.transfer.members[1].bytes, (Loads{0, 0, 0, 100 * kMB}));
  EXPECT_NEAR(microseconds(large.transfer.span), (100e6 + 65536) / (0.97 * 50e9) * 1e6, 0.001);
  EXPECT_NEAR(microseconds(large.transfer.latency), 8.4 + 2 * 2.8 + 8.6, 0.001);
  const CollectiveCost tiny = run(CollectiveOp::send_recv, 1, {Rank(0), Rank(8)}, test::dgx_h100());
  EXPECT_NEAR(microseconds(tiny.transfer.latency), 6.6 + 2.8, 0.001);
}

TEST(Collective, SendAmongMoreThanTwoIsRefused) {
  try {
    run(CollectiveOp::send_recv, 1, ranks(3), test::dgx_h100());
    FAIL() << "accepted";
  } catch (const InternalError& e) {
    EXPECT_STREQ(e.what(), "send_recv needs two members, found 3");
  }
}

TEST(Collective, OfOneRankOrNoBytesTakesNoTime) {
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
                                CollectiveOp::send_recv}) {
    for (const CollectiveCost& c : {run(op, kGB, ranks(1), test::alps()), run(op, 0, ranks(2), test::alps())}) {
      EXPECT_EQ(c.algorithm, "none");
      EXPECT_EQ(c.transfer.latency, Time{0});
      EXPECT_EQ(c.transfer.span, Time{0});
      ASSERT_EQ(c.transfer.members.size(), 1u);
      EXPECT_EQ(c.transfer.members[0], Transfer::Member{});
    }
  }
}

TEST(Collective, ATebibyteOverManyNodesDoesNotOverflow) {
  // 2^40 bytes, 4096 ranks on 512 nodes: NIC 2 * 511/512 * 2^40 / 8 = 2^38 * 511/512 = 274341036032 bytes at 39 GB/s = 7.03 s.
  const CollectiveCost c = run(CollectiveOp::all_reduce, std::int64_t{1} << 40, ranks(4096), test::dgx_h100());
  EXPECT_EQ(c.transfer.members[0].bytes[2], 274'341'036'032);
  EXPECT_NEAR(seconds(c.transfer.span), 274341036032 / (0.78 * 50e9), 1e-6);
}

TEST(Collective, LatencyGrowsWithRanksAndWithNodes) {
  const HwProfile hw = test::dgx_h100();
  const auto latency = [&](CollectiveOp op, const std::vector<Rank>& members) { return run(op, 1, members, hw).transfer.latency; };
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all}) {
    EXPECT_LT(latency(op, ranks(2)), latency(op, ranks(8)));
    EXPECT_LT(latency(op, ranks(8)), latency(op, ranks(16)));
    EXPECT_LT(latency(op, ranks(8)), latency(op, ranks(8, 0, 8)));        // same size, over nodes
    EXPECT_LT(latency(op, ranks(32)), latency(op, ranks(32, 240)));       // same shape, beyond one leaf
  }
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather})
    EXPECT_LT(latency(op, ranks(64)), latency(op, ranks(512)));
}

TEST(Collective, AFabricWithoutLL128DoesNotUseIt) {
  HwProfile hw = test::dgx_h100();
  EXPECT_EQ(run(CollectiveOp::all_gather, 8 * kMB, ranks(16), hw).protocol, "LL128");
  hw.scale_out.ll128 = false;
  EXPECT_EQ(run(CollectiveOp::all_gather, 8 * kMB, ranks(16), hw).protocol, "Simple");
  EXPECT_EQ(run(CollectiveOp::all_gather, 6 * kMB, ranks(8), hw).protocol, "LL128");   // inside a node it works
}

TEST(BusBandwidth, FollowsNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveOp::all_to_all, 2), 0.5);
  for (const CollectiveOp op : {CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::send_recv}) EXPECT_DOUBLE_EQ(bus_factor(op, 8), 1);
  // 1 GB in 10 ms = 100 GB/s, times 1.75.
  EXPECT_DOUBLE_EQ(bus_bandwidth(CollectiveOp::all_reduce, Bytes{kGB}, 8, 10 * kMillisecond).count(), 175e9);
}

TEST(CollectiveOp, HasTheNamesOfTheField) {
  EXPECT_EQ(name(CollectiveOp::all_reduce), "all_reduce");
  EXPECT_EQ(name(CollectiveOp::all_gather), "all_gather");
  EXPECT_EQ(name(CollectiveOp::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(name(CollectiveOp::all_to_all), "all_to_all");
  EXPECT_EQ(name(CollectiveOp::broadcast), "broadcast");
  EXPECT_EQ(name(CollectiveOp::reduce), "reduce");
  EXPECT_EQ(name(CollectiveOp::send_recv), "send_recv");
}

}  // namespace
}  // namespace moesim
