#include "collective/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "collective/collective.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;
using Loads = std::array<std::int64_t, kPorts>;

std::vector<RankLoad> even(std::int64_t ep, std::int64_t copies) {
  RankLoad r;
  r.tokens = r.received = copies;
  return std::vector<RankLoad>(static_cast<std::size_t>(ep), r);
}

TEST(TokenBytes, CountsElementsAndTheScalesOfNarrowFormats) {
  EXPECT_EQ(token_bytes(7168, DType::bf16), 14336);
  EXPECT_EQ(token_bytes(7168, DType::fp8), 7168 + 56 * 4);   // DeepSeek-V3: one fp32 scale per 128
  EXPECT_EQ(token_bytes(7168, DType::fp4), 3584 + 448);
  EXPECT_EQ(token_bytes(7168, DType::fp32), 28672);
  EXPECT_EQ(token_bytes(1, DType::fp8), 5);
}

TEST(AllToAllDispatcher, MovesOneCopyPerChosenExpert) {
  // EP 16 on 2 nodes, 1000 tokens a rank, top-8: 8000 copies arrive at each rank, 500 from each source, 2000 bytes each = 1 MB a pair.
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{1000, 1000, DType::bf16, 256, 8};
  const Transfer t = dispatchers().make("alltoall")->dispatch(shape, even(16, 8000), place(ranks(16), hw), hw);
  ASSERT_EQ(t.members.size(), 1u);
  EXPECT_EQ(t.members[0].bytes, (Loads{7'000'000, 7'000'000, 8'000'000, 8'000'000}));
}

TEST(AllToAllDispatcher, ExchangesCountsBeforeTheTokens) {
  const HwProfile hw = test::dgx_h100();
  const Placement p = place(ranks(16), hw);
  const ExchangeShape shape{4096, 7168, DType::bf16, 256, 8};
  const auto d = dispatchers().make("alltoall");
  const Transfer counts = collective(CollectiveOp::all_gather, Bytes{16 * 256 * 8}, p, hw).transfer;
  const Transfer there = d->dispatch(shape, even(16, 32768), p, hw), back = d->combine(shape, even(16, 32768), p, hw);
  EXPECT_EQ(there.latency - back.latency, counts.latency + counts.span);
  EXPECT_EQ(there.span, back.span);
}

TEST(AllToAllDispatcher, TheHotReceiverOfADispatchEndsLast) {
  const HwProfile hw = test::dgx_h100();
  std::vector<RankLoad> loads = even(8, 8000);
  loads[3].received = 16000;
  loads[5].received = 0;
  const ExchangeShape shape{1000, 7168, DType::bf16, 256, 8};
  const auto d = dispatchers().make("alltoall");
  const Transfer there = d->dispatch(shape, loads, place(ranks(8), hw), hw);
  ASSERT_EQ(there.members.size(), 8u);
  EXPECT_EQ(there.members[3].done, there.span);
  EXPECT_LT(there.members[0].done, there.span);
  // 7 sources of 2000 copies of 14336 bytes at 0.7 * 450 GB/s.
  EXPECT_NEAR(seconds(there.span), 7 * 2000 * 14336 / (0.7 * 450e9), 1e-9);
  // On the way back everybody waits for what the hot rank still has to send.
  const Transfer back = d->combine(shape, loads, place(ranks(8), hw), hw);
  for (const Transfer::Member& m : back.members) EXPECT_EQ(m.done, back.span);
  EXPECT_EQ(back.span, there.span);
}

TEST(AllToAllDispatcher, AHotPairOfAMeshIsSlowerThanItsShareOfThePort) {
  const HwProfile hw = test::alps();
  std::vector<RankLoad> loads = even(4, 0);
  loads[2].received = 4000;   // 1000 copies of 2000 bytes from each of three peers, each over its own link
  const ExchangeShape shape{1000, 1000, DType::bf16, 64, 4};
  const Transfer t = dispatchers().make("alltoall")->dispatch(shape, loads, place(ranks(4), hw), hw);
  EXPECT_NEAR(seconds(t.span), 2e6 / (0.7 * 150e9), 1e-9);
  EXPECT_EQ(t.members[0].bytes, (Loads{2'000'000, 0, 0, 0}));
  EXPECT_EQ(t.members[2].bytes, (Loads{0, 6'000'000, 0, 0}));
}

TEST(AllToAllDispatcher, TakesTheMeasuredTimeOfAllToAll) {
  for (const auto& [name, ep] : {std::pair{"dgx-h100", 8u}, {"gb200-nvl72", 4u}, {"aws-p5-h100", 32u}}) {
    const HwProfile hw = load_hw_profile(name, MOESIM_SOURCE_DIR);
    const Placement p = place(ranks(ep), hw);
    // Each rank receives, and sends, 16384 copies of 4096 bytes.
    const ExchangeShape shape{4096, 2048, DType::bf16, 128, 4};
    const Transfer combine = dispatchers().make("alltoall")->combine(shape, even(ep, 16384), p, hw);
    const CollectiveCost timed = collective(CollectiveOp::all_to_all, Bytes{16384 * 4096}, p, hw);
    EXPECT_NE(timed.provenance, Provenance::analytic) << name;
    EXPECT_NEAR(seconds(combine.latency + combine.span), seconds(timed.transfer.latency + timed.transfer.span), 1e-11) << name;
  }
}

TEST(AllToAllDispatcher, AnUnevenExchangeTakesTheMeasuredTimeAtTheBytesOfTheHottestRank) {
  const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  const Placement p = place(ranks(8), hw);
  std::vector<RankLoad> loads = even(8, 16384);
  loads[3].received = 2 * 16384;
  loads[5].received = 0;
  const ExchangeShape shape{4096, 2048, DType::bf16, 128, 4};
  const Transfer t = dispatchers().make("alltoall")->combine(shape, loads, p, hw);
  const CollectiveCost twice = collective(CollectiveOp::all_to_all, Bytes{2 * 16384 * 4096}, p, hw);
  EXPECT_NEAR(seconds(t.latency + t.span), seconds(twice.transfer.latency + twice.transfer.span), 1e-11);
  // In a dispatch the others end before the hot rank, by as much less as they receive.
  const Transfer there = dispatchers().make("alltoall")->dispatch(shape, loads, p, hw);
  EXPECT_LT(there.members[0].done, there.members[3].done);
  EXPECT_EQ(there.members[3].done, there.span);
}

TEST(DeepEpDispatcher, SendsATokenOncePerRankOfANode) {
  // EP 2, 4 experts, top-2: each rank holds 2, a token misses one of them with 1/6. 6000 tokens a rank: 5000 to the other rank.
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{6000, 1000, DType::bf16, 4, 2};
  const Transfer t = dispatchers().make("deepep")->dispatch(shape, even(2, 12000), place(ranks(2), hw), hw);
  ASSERT_EQ(t.members.size(), 1u);
  EXPECT_NEAR(static_cast<double>(t.members[0].bytes[0]), 5000 * 2000, 1);
  EXPECT_EQ(t.members[0].bytes[0], t.members[0].bytes[1]);
  EXPECT_EQ(t.members[0].bytes[2], 0);
}

TEST(DeepEpDispatcher, SendsATokenOncePerOtherNodeAndForwardsItThere) {
  // Two nodes of two ranks (ranks 6 7 | 8 9), 8 experts, top-2, 2800 tokens a rank. A node of 4 experts is missed with
  // C(4,2)/C(8,2) = 6/28: 2200 tokens to the other node. A rank of 2 experts is missed with C(6,2)/C(8,2) = 15/28: needed by 13/28 of all
  // 11200 tokens = 5200, half of which come through each member of its node: 2600 over the scale-up port.
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{2800, 1000, DType::bf16, 8, 2};
  const Transfer t = dispatchers().make("deepep")->dispatch(shape, even(4, 5600), place(ranks(4, 6), hw), hw);
  ASSERT_EQ(t.members.size(), 1u);
  EXPECT_NEAR(static_cast<double>(t.members[0].bytes[0]), 2600 * 2000, 1);
  EXPECT_NEAR(static_cast<double>(t.members[0].bytes[1]), 2600 * 2000, 1);
  EXPECT_NEAR(static_cast<double>(t.members[0].bytes[2]), 2200 * 2000, 1);
  EXPECT_NEAR(static_cast<double>(t.members[0].bytes[3]), 2200 * 2000, 1);
}

TEST(DeepEpDispatcher, SendsLessOverTheBindingFabricAndEndsSooner) {
  // Inside one node that is the scale-up fabric; over nodes the NIC, for which forwarding pays with scale-up bytes.
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{4096, 7168, DType::bf16, 256, 8};
  for (const std::uint32_t ep : {8u, 16u, 32u, 64u}) {
    const Placement p = place(ranks(ep), hw);
    const auto loads = even(ep, 4096 * 8);
    const Transfer fused = dispatchers().make("deepep")->dispatch(shape, loads, p, hw);
    const Transfer plain = dispatchers().make("alltoall")->dispatch(shape, loads, p, hw);
    const std::size_t port = ep == 8 ? 0 : 2;
    EXPECT_LT(fused.members[0].bytes[port], plain.members[0].bytes[port]) << ep;
    EXPECT_LT(fused.latency + fused.span, plain.latency + plain.span) << ep;
  }
}

TEST(DeepEpDispatcher, NodeLimitedRoutingSavesNicBytes) {
  const HwProfile hw = test::dgx_h100();
  ExchangeShape shape{4096, 7168, DType::bf16, 256, 8};
  const auto d = dispatchers().make("deepep");
  const std::int64_t all = d->dispatch(shape, even(64, 32768), place(ranks(64), hw), hw).members[0].bytes[2];
  shape.group_limit = 4;   // of 8 nodes
  const std::int64_t limited = d->dispatch(shape, even(64, 32768), place(ranks(64), hw), hw).members[0].bytes[2];
  // 7 other nodes of 8: from 5.29 touched to 3.63 touched.
  EXPECT_NEAR(static_cast<double>(limited) / static_cast<double>(all), 3.63 / 5.29, 0.005);
}

TEST(SendingDispatchers, CombineIsDispatchBackwardsPortByPort) {
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{1000, 7168, DType::bf16, 64, 4};
  std::vector<RankLoad> loads = even(6, 4000);
  loads[1].received = 9000;
  loads[4].received = 100;
  const Placement p = place(ranks(6, 5), hw);   // 5 6 7 | 8 9 10
  for (const char* name : {"alltoall", "deepep"}) {
    const auto d = dispatchers().make(name);
    const Transfer there = d->dispatch(shape, loads, p, hw), back = d->combine(shape, loads, p, hw);
    ASSERT_EQ(back.members.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
      const Loads& b = there.members[i].bytes;
      EXPECT_EQ(back.members[i].bytes, (Loads{b[1], b[0], b[3], b[2]})) << name;
    }
  }
}

TEST(AllGatherDispatcher, MovesEveryTokenWhateverTheLoad) {
  const HwProfile hw = test::dgx_h100();
  const ExchangeShape shape{1000, 1000, DType::bf16, 8, 2};
  const auto d = dispatchers().make("allgather");
  std::vector<RankLoad> hot = even(4, 0);
  hot[0].received = 8000;
  const Transfer t = d->dispatch(shape, hot, place(ranks(4), hw), hw);
  ASSERT_EQ(t.members.size(), 1u);
  // 3 of 4 ranks' 1000 tokens of 2000 bytes, with 5 bytes a token and expert of probabilities and map.
  EXPECT_EQ(t.members[0].bytes[0], 3 * 1000 * (2000 + 8 * 5));
  EXPECT_EQ(d->combine(shape, hot, place(ranks(4), hw), hw).members[0].bytes[0], 3 * 1000 * 2000);
}

TEST(DeepEp, FewerSmsAreSlowerWhereTheyBindAndNeverFaster) {
  const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  const ExchangeShape shape{4096, 7168, DType::bf16, 256, 8, 0, 0};
  const Placement p = place(ranks(8), hw);
  RankLoad even;
  even.tokens = even.received = shape.tokens_per_rank * shape.top_k;
  const std::vector<RankLoad> loads(8, even);
  const auto time = [&](std::int64_t sms) {
    const Transfer t = dispatchers().make("deepep")->with_sms(sms)->dispatch(shape, loads, p, hw);
    return seconds(t.latency + t.span);
  };
  for (std::int64_t sms = 1; sms < 60; ++sms) EXPECT_LE(time(sms + 1), time(sms));
  EXPECT_NEAR(time(4) / time(8), 2, 0.1);   // SMs bind
  EXPECT_LT(time(40) / time(60), 1.05);     // the links do
}

TEST(Nvl72, RefusesGroupsThatLeaveTheDomainAndMachinesWithoutASwitch) {
  const auto d = dispatchers().make("nvl72");
  EXPECT_EQ(d->refusal(64, test::gb200_nvl72()), "");
  EXPECT_EQ(d->refusal(8, test::dgx_h100()), "");
  EXPECT_EQ(d->refusal(16, test::dgx_h100()), "it runs inside one NVLink domain; groups of 16 GPUs are larger than the 8 of dgx-h100");
  EXPECT_EQ(d->refusal(4, test::alps()), "it writes into the memory of GPUs behind one NVSwitch, and alps has none");
}

TEST(Dispatchers, AreListedAndUnknownOnesRefused) {
  EXPECT_EQ(dispatchers().names(), (std::vector<std::string>{"allgather", "alltoall", "deepep", "deepep_ll", "hybridep", "nvl72"}));
  EXPECT_THROW(dispatchers().make("nonsense"), InputError);
}

}  // namespace
}  // namespace moesim
