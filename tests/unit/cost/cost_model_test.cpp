#include "cost/cost_model.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "profiles.h"

namespace moesim {
namespace {

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k, Pass pass = Pass::forward, DType type = DType::bf16) {
  Op op;
  op.kind = OpKind::gemm, op.pass = pass, op.dtype = type, op.m = m, op.n = n, op.k = k;
  return op;
}

Op attention(std::int64_t seq, std::int64_t head_dim, Pass pass = Pass::forward) {
  Op op;
  op.kind = OpKind::attention, op.pass = pass, op.seq = seq, op.heads = 64, op.kv_heads = 8, op.qk_dim = op.v_dim = head_dim;
  return op;
}

Op bytes(OpKind kind, std::int64_t traffic, std::uint32_t kernels = 1) {
  Op op;
  op.kind = kind, op.traffic = Bytes{traffic}, op.kernels = kernels;
  return op;
}

double us(const Cost& c) { return seconds(c.time) * 1e6; }

TEST(Gemm, UnderALongLoadALargeOneIsItsFlopsOverTheRateThatIsHeld) {
  // 2 * 8192^3 = 1.0995e12 FLOP at 0.5 * 1e15, whatever the shape.
  const CostModel model(round_profile());
  EXPECT_NEAR(us(model.cost(gemm(8192, 8192, 8192))), 2 * 8192.0 * 8192 * 8192 / 5e14 * 1e6, 1e-5);
  EXPECT_NEAR(us(model.cost(gemm(4096, 8192, 16384))), 2 * 8192.0 * 8192 * 8192 / 5e14 * 1e6, 1e-5);
  EXPECT_EQ(model.cost(gemm(8192, 8192, 8192)).provenance, Provenance::analytic);
}

TEST(Gemm, OneThatItsShapeHoldsBelowThatRateRunsAsInABurst) {
  // k 128: the shape term halves 0.8 of peak, below 0.5.
  const Op op = gemm(65536, 65536, 128);
  EXPECT_EQ(us(CostModel(round_profile()).cost(op)), us(CostModel(round_profile(), Clocks::burst).cost(op)));
}

TEST(Gemm, BurstClocksDivideByTheBurstRate) {
  // The same kernel at 0.8 of peak: 2 * 8192^3 * 1.0234375 / 8e14.
  const CostModel model(round_profile(), Clocks::burst);
  EXPECT_NEAR(us(model.cost(gemm(8192, 8192, 8192))), 2 * 8192.0 * 8192 * 8192 * 1.0234375 / 8e14 * 1e6 + 2, 1e-5);
}

TEST(Gemm, FewRowsAreMemoryBound) {
  // m 1: weights 8192 * 8192 * 2 = 134,217,728 B, + 8192 * 2 in, + 8192 * 2 out = 134,250,496 B over 0.5 * 4e12 = 67.125248 us, + 2.
  EXPECT_NEAR(us(CostModel(round_profile()).cost(gemm(1, 8192, 8192))), 69.125248, 1e-5);
}

TEST(Gemm, WeightGradientsMoveEightBytesAnOutput) {
  // m = n = 8192, k = 64 tokens: in 2 * 8192 * 64 * 2 = 2,097,152 B, out 8192^2 * 8 = 536,870,912 B: 538,968,064 / 2e12 = 269.484032 us.
  // Forward with the same sizes writes 2 bytes: (2,097,152 + 134,217,728) / 2e12 = 68.15744 us.
  const CostModel model(round_profile());
  EXPECT_NEAR(us(model.cost(gemm(8192, 8192, 64, Pass::wgrad))), 271.484032, 1e-5);
  EXPECT_NEAR(us(model.cost(gemm(8192, 8192, 64))), 70.15744, 1e-5);
}

TEST(Gemm, WeightGradientsAddHalfOfTheirAccumulationToTheArithmetic) {
  // m = n = 4096: 3 bytes * 4096^2 / 2e12 = 25.17 us.
  const CostModel model(round_profile());
  const double forward = us(model.cost(gemm(4096, 4096, 8192)));
  EXPECT_NEAR(us(model.cost(gemm(4096, 4096, 8192, Pass::wgrad))) - forward, 3 * 4096.0 * 4096 / 2e12 * 1e6, 1e-5);
}

TEST(Gemm, Fp8HalvesTheTimeOfALargeOneButNotItsFixedPart) {
  const CostModel burst(round_profile(), Clocks::burst), held(round_profile());
  const Op wide = gemm(8192, 8192, 8192), narrow = gemm(8192, 8192, 8192, Pass::forward, DType::fp8);
  EXPECT_NEAR(us(burst.cost(narrow)), (us(burst.cost(wide)) - 2) / 2 + 2, 1e-5);
  EXPECT_NEAR(us(held.cost(narrow)), us(held.cost(wide)) / 2, 1e-5);
}

TEST(Gemm, AFormatWithoutPeakIsAnError) {
  try {
    (void)CostModel(round_profile()).cost(gemm(128, 128, 128, Pass::forward, DType::fp4));
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "round: found a GEMM in fp4, allowed on this machine is bf16, fp8");
  }
}

TEST(GroupedGemm, PadsHalfATileForEachMatrix) {
  // 8 matrices 4096 x 4096, 64 * 128 = 8192 rows, padded to 8192 + 8 * 64 = 8704: 2 * 8704 * 4096^2 = 2.9206e11 FLOP,
  // shape 1 + 128/4096 + 128/8192 = 1.046875, rate 8e14.
  Op op = gemm(8192, 4096, 4096);
  op.kind = OpKind::grouped_gemm, op.groups = 8;
  EXPECT_NEAR(us(CostModel(round_profile(), Clocks::burst).cost(op)), 2 * 8704.0 * 4096 * 4096 * 1.046875 / 8e14 * 1e6 + 2, 1e-5);
}

TEST(GroupedGemm, UnderALongLoadIsTheFlopsOfItsRowsOverTheRateThatIsHeld) {
  Op op = gemm(8192, 4096, 4096);
  op.kind = OpKind::grouped_gemm, op.groups = 8;
  EXPECT_NEAR(us(CostModel(round_profile()).cost(op)), 2 * 8192.0 * 4096 * 4096 / 5e14 * 1e6, 1e-5);
}

TEST(GroupedGemm, WeightGradientsReduceOverTheRowsOfEachMatrix) {
  // 8704 / 8 = 1088 rows to reduce: shape 1 + 128/1088 + 128/8192.
  Op op = gemm(8192, 4096, 4096, Pass::wgrad);
  op.kind = OpKind::grouped_gemm, op.groups = 8;
  // and adds half of 6 bytes for each of 8 * 4096^2 results, at 2 TB/s.
  const double arithmetic = 2 * 8704.0 * 4096 * 4096 * (1 + 128.0 / 1088 + 128.0 / 8192) / 8e14 + 3 * 8.0 * 4096 * 4096 / 2e12;
  EXPECT_NEAR(us(CostModel(round_profile(), Clocks::burst).cost(op)), arithmetic * 1e6 + 2, 1e-5);
}

TEST(GroupedGemm, ManyMatricesOfFewRowsCostTheirWeights) {
  // 64 matrices 2048 x 2048 * 2 B = 536,870,912 B; 64 rows in and out: 2 * 64 * 2048 * 2 = 524,288 B; / 2e12 = 268.6976 us.
  Op op = gemm(64, 2048, 2048);
  op.kind = OpKind::grouped_gemm, op.groups = 64;
  EXPECT_NEAR(us(CostModel(round_profile()).cost(op)), 270.6976, 1e-4);
}

TEST(GroupedGemm, OfOneMatrixIsAGemmButForThePadding) {
  Op op = gemm(1 << 20, 4096, 4096);
  const CostModel model(round_profile(), Clocks::burst);
  const double plain = us(model.cost(op));
  op.kind = OpKind::grouped_gemm;
  EXPECT_NEAR(us(model.cost(op)), plain, plain * 1e-4);
  EXPECT_GT(us(model.cost(op)), plain);
}

TEST(GroupedGemm, WithoutRowsStillTakesALaunch) {
  for (const Pass pass : {Pass::forward, Pass::dgrad, Pass::wgrad}) {
    Op op = gemm(0, 2048, 2048, pass);
    op.kind = OpKind::grouped_gemm, op.groups = 8;
    EXPECT_GE(us(CostModel(round_profile()).cost(op)), 2);
  }
}

TEST(Attention, RateGrowsWithTheSequenceTowardsItsLimit) {
  // seq 1024 = half_seq: half of 8e14 * 0.5. FLOP: 2 * (1024^2 / 2) * 64 * 256 = 1.7180e10: / 2e14 = 85.899 us, + 1 us.
  EXPECT_NEAR(us(CostModel(round_profile()).cost(attention(1024, 128))), 1024.0 * 1024 * 64 * 256 / 2e14 * 1e6 + 1, 1e-5);
  // Burst: twice the rate.
  EXPECT_NEAR(us(CostModel(round_profile(), Clocks::burst).cost(attention(1024, 128))), 1024.0 * 1024 * 64 * 256 / 4e14 * 1e6 + 1, 1e-5);
}

TEST(Attention, BackwardHasItsOwnRate) {
  // 2.5 times the FLOPs at 6.25e14 / 8e14 of the rate: 2.5 * 1.28 = 3.2 times the forward time.
  const CostModel model(round_profile());
  EXPECT_NEAR(us(model.cost(attention(4096, 128, Pass::dgrad))) - 1, 3.2 * (us(model.cost(attention(4096, 128))) - 1), 1e-3);
}

TEST(Attention, NarrowHeadsRunAtTheNarrowFactor) {
  // Half the FLOPs at half the rate.
  const CostModel model(round_profile());
  EXPECT_NEAR(us(model.cost(attention(4096, 64))), us(model.cost(attention(4096, 128))), 1e-5);
}

TEST(Attention, AWindowCountsAsTheSequenceItLooksAt) {
  Op op = attention(65536, 128);
  op.window = 1024;
  // 65536 * 1024 - 1024^2 / 2 pairs at half of 4e14.
  const double pairs = 65536.0 * 1024 - 1024.0 * 1024 / 2;
  EXPECT_NEAR(us(CostModel(round_profile()).cost(op)), 2 * pairs * 64 * 256 / 2e14 * 1e6 + 1, 1e-3);
}

TEST(MemoryBound, IsBytesOverTheShareOfBandwidthAndAConstantAKernel) {
  // 2e9 B / (0.5 * 4e12) = 1000 us, + 3 * 1 us.
  const CostModel model(round_profile());
  for (const OpKind kind : {OpKind::memory_bound, OpKind::router, OpKind::cast, OpKind::optimizer, OpKind::embedding, OpKind::cross_entropy})
    EXPECT_NEAR(us(model.cost(bytes(kind, 2'000'000'000, 3))), 1003, 1e-5) << name(kind);
}

TEST(MemoryBound, LongStreamsComeToTheLargeShare) {
  // 0.5 for short streams, 0.8 far beyond 100 MB of 4 TB/s: 100 MB loses half of what 100 MB lose at 0.5 against 0.8.
  HwProfile p = round_profile();
  p.compute.memory_large = Sourced<double>{0.8, {}, {}};
  p.compute.memory_half = Sourced<Bytes>{Bytes{100'000'000}, {}, {}};
  const CostModel model(p);
  const auto rate = [&](std::int64_t n) { return static_cast<double>(n) / (us(model.cost(bytes(OpKind::cast, n))) - 1) * 1e6; };
  EXPECT_NEAR(rate(1'000) / 2e12, 1, 1e-3);
  EXPECT_NEAR(us(model.cost(bytes(OpKind::cast, 100'000'000))), (1e8 / 0.8 + (1 / 0.5 - 1 / 0.8) * 5e7) / 4e12 * 1e6 + 1, 1e-5);
  EXPECT_NEAR(rate(1'000'000'000'000) / 3.2e12, 1, 1e-3);
}

TEST(MemoryBound, PermutationHasItsOwnShare) {
  // 2e9 B / (0.25 * 4e12) = 2000 us, + 1 us.
  EXPECT_NEAR(us(CostModel(round_profile()).cost(bytes(OpKind::permute, 2'000'000'000))), 2001, 1e-5);
}

TEST(HostModel, ScalesTheReferenceHostAndTellsForwardFromBackward) {
  Stack s;
  s.host_per_kernel_forward.value = 20 * kMicrosecond;
  s.host_per_kernel_backward.value = 10 * kMicrosecond;
  s.launch_latency.value = 3 * kMicrosecond;
  s.host_sync.value = 8 * kMicrosecond;
  s.host_per_moe_layer.value = 100 * kMicrosecond;
  s.host_per_moe_layer_tp.value = 50 * kMicrosecond;
  s.host_per_local_expert.value = 4 * kMicrosecond;
  s.host_per_local_expert_fp8.value = 6 * kMicrosecond;
  HostProfile h;
  h.cpu_factor.value = 1.5;
  const HostModel host(s, h);
  Op op = bytes(OpKind::router, 1, 4);
  EXPECT_EQ(host.launch(op), 120 * kMicrosecond);          // 4 * 20 * 1.5
  op.pass = Pass::dgrad;
  EXPECT_EQ(host.launch(op), 60 * kMicrosecond);           // 4 * 10 * 1.5
  op.recompute = true;
  EXPECT_EQ(host.launch(op), 120 * kMicrosecond);          // forward code, run again
  EXPECT_EQ(host.launch_latency(), 3 * kMicrosecond);      // not the CPU's doing
  EXPECT_EQ(host.sync(), 12 * kMicrosecond);
  EXPECT_EQ(host.per_moe_layer(false), 150 * kMicrosecond);
  EXPECT_EQ(host.per_moe_layer(true), 225 * kMicrosecond);
  EXPECT_EQ(host.per_local_expert(), 6 * kMicrosecond);
  EXPECT_EQ(host.per_local_expert(DType::fp8), 9 * kMicrosecond);
  EXPECT_EQ(host.work(2 * kMicrosecond), 3 * kMicrosecond);
}

}  // namespace
}  // namespace moesim
