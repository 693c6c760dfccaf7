// Times of collectives where one way of knowing them ends and another begins: sizes and numbers of GPUs beyond the tables, nodes, racks.
#include <gtest/gtest.h>

#include "collective/collective.h"
#include "collective/measured.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;
constexpr CollectiveOp kOps[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all};

class Seams : public ::testing::TestWithParam<std::string> {
 protected:
  HwProfile hw_ = load_hw_profile(GetParam(), MOESIM_SOURCE_DIR);
  Time time(CollectiveOp op, std::int64_t bytes, std::uint32_t n) const {
    const Transfer t = collective(op, Bytes{bytes}, place(ranks(n), hw_), hw_).transfer;
    return t.latency + t.span;
  }
};

TEST_P(Seams, TimesArePositiveAndNeverFallWithBytesFromOneByteTo16GiB) {
  for (const CollectiveOp op : kOps)
    for (const std::uint32_t n : {2u, 3u, 4u, 7u, 8u, 9u, 12u, 16u, 24u, 40u, 64u, 72u, 100u, 144u, 256u, 384u, 512u, 1024u}) {
      Time before{0};
      for (std::int64_t bytes = 1; bytes <= std::int64_t{1} << 34; bytes += std::max<std::int64_t>(1, bytes / 3)) {
        const Time now = time(op, bytes, n);
        ASSERT_GT(now, Time{0}) << name(op) << " of " << n << ", " << bytes;
        ASSERT_LE(now, 100 * kSecond) << name(op) << " of " << n << ", " << bytes;
        ASSERT_GE(now, before) << name(op) << " of " << n << ", " << bytes;
        before = now;
      }
    }
}

TEST_P(Seams, TwiceTheBytesTakeAtMostThreeTimesAsLong) {
  // Above twice where a protocol ends: LL to Simple on Slingshot and EFA, and where NCCL 2.2x of Blackwell leaves LL (a measured jump).
  for (const CollectiveOp op : kOps)
    for (const std::uint32_t n : {8u, 16u, 32u, 64u, 72u, 144u, 256u, 512u, 1024u})
      for (std::int64_t bytes = 512; bytes < std::int64_t{1} << 33; bytes = bytes * 5 / 4)
        EXPECT_LE(seconds(time(op, 2 * bytes, n)), 3 * seconds(time(op, bytes, n))) << name(op) << " of " << n << ", " << bytes;
}

TEST_P(Seams, ANodeMoreChangesTimesLittleWhereCurvesEnd) {
  // From the last number of GPUs that curves hold to the next. Over nodes those are powers of two, where trees get a level deeper.
  for (const auto& curves : {hw_.scale_up.curves, hw_.scale_out.curves}) {
    if (!curves) continue;
    for (const CollectiveOp op : kOps) {
      std::int64_t last = 0;
      for (const CollectiveCurve& c : curves->curves)
        if (c.op == name(op)) last = std::max(last, c.gpus);
      const bool over_nodes = curves == hw_.scale_out.curves;
      const std::int64_t next = last + (over_nodes ? hw_.scale_up.domain : 1);
      if (last == 0 || (!over_nodes && next > hw_.scale_up.domain)) continue;
      for (std::int64_t bytes = 512; bytes <= std::int64_t{1} << 34; bytes *= 4) {
        const double ratio = seconds(time(op, bytes, static_cast<std::uint32_t>(next))) / seconds(time(op, bytes, static_cast<std::uint32_t>(last)));
        EXPECT_NEAR(ratio, 1, over_nodes ? 0.25 : 0.1) << name(op) << " of " << last << " to " << next << ", " << bytes;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Seams, ::testing::ValuesIn(hw_profile_names(MOESIM_SOURCE_DIR)), [](const auto& i) {
  std::string out = i.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
});

TEST(Pat, GathersAmongOneGpuANodeWhereRingsTakeTooManySteps) {
  const HwProfile hw = test::dgx_h100();
  const Placement one_a_node = place(ranks(64, 0, 8), hw), whole = place(ranks(64), hw);
  const CollectiveCost c = collective(CollectiveOp::all_gather, Bytes{4 << 20}, one_a_node, hw);
  EXPECT_EQ(c.algorithm, "pat");
  // 8 us (8 / 6.6 of the profile's base), log2(64) steps of 14.2 us (twice 2.8 of the profile and 8.6) / 3.5, 2.8 us a rank; 63 / 64 of 4 MiB at 0.75 * 0.78 * 50 GB/s.
  const double latency = 8e-6 + 6 * (2 * 3.7e-6 + 8.6e-6) / 3.5 + 64 * 2.8e-6;
  EXPECT_NEAR(seconds(c.transfer.latency), latency, 1e-9);
  EXPECT_NEAR(seconds(c.transfer.span), 63.0 / 64 * (4 << 20) / (0.75 * 0.78 * 50e9), 1e-7);
  EXPECT_EQ(collective(CollectiveOp::reduce_scatter, Bytes{4 << 20}, one_a_node, hw).algorithm, "pat");
  EXPECT_EQ(collective(CollectiveOp::all_gather, Bytes{4 << 20}, whole, hw).algorithm, "hierarchical ring");
  EXPECT_EQ(collective(CollectiveOp::all_gather, Bytes{std::int64_t{8} << 30}, one_a_node, hw).algorithm, "hierarchical ring") << "large messages fill the NIC better in a ring";
}

TEST(FusedAllReduce, OfEnginesStartsFarSoonerThanNcclAndIsNcclForLargeSizes) {
  const HwProfile hw = load_hw_profile("dgx-h200", MOESIM_SOURCE_DIR);
  EXPECT_EQ(fused_all_reduce_kernels(hw), (std::vector<std::string>{"trtllm", "vllm", "vllm_eager"}));
  const Placement p = place(ranks(4), hw);
  const auto us = [&](const char* kernel, std::int64_t bytes) {
    const Transfer t = fused_all_reduce(kernel, Bytes{bytes}, p, hw)->transfer;
    return seconds(t.latency + t.span) * 1e6;
  };
  // Timed on 4 H200: 2.8 and 12.9 us (TensorRT-LLM, 256 B and 1 MiB), 4.4 and 12.1 us (vLLM in a graph), 21 to 22 us launched eagerly.
  EXPECT_NEAR(us("trtllm", 256), 2.8, 0.3);
  EXPECT_NEAR(us("trtllm", 1 << 20), 12.9, 1);
  EXPECT_NEAR(us("vllm", 256), 4.4, 0.4);
  EXPECT_NEAR(us("vllm", 1 << 20), 12.1, 1);
  EXPECT_NEAR(us("vllm_eager", 65536), 21.5, 2);
  EXPECT_EQ(fused_all_reduce("vllm", Bytes{65536}, p, hw)->provenance, Provenance::measured);
  EXPECT_EQ(fused_all_reduce("vllm", Bytes{65536}, place(ranks(8), hw), hw)->provenance, Provenance::extrapolated);
  EXPECT_FALSE(fused_all_reduce("vllm", Bytes{65536}, place(ranks(16), hw), hw)) << "over nodes";
  EXPECT_TRUE(fused_all_reduce_kernels(load_hw_profile("alps-gh200", MOESIM_SOURCE_DIR)).empty());
  EXPECT_TRUE(fused_all_reduce_kernels(load_hw_profile("dgx-b300", MOESIM_SOURCE_DIR)).empty()) << "its base's were timed on another GPU";
}

}  // namespace
}  // namespace moesim
