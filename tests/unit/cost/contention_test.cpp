// Kernels beside communication kernels, with the arithmetic in the comments.
#include "cost/contention.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "cost/cost_model.h"
#include "support/profiles.h"

namespace moesim {
namespace {

const HwProfile& h100() {
  static const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  return hw;
}
const KernelNumbers& numbers() {
  static const KernelNumbers n = kernel_numbers(h100(), Clocks::burst);
  return n;
}

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Op op;
  op.kind = OpKind::gemm, op.m = m, op.n = n, op.k = k;
  return op;
}
Op streaming(std::int64_t bytes) {
  Op op;
  op.kind = OpKind::memory_bound, op.traffic = Bytes{bytes};
  return op;
}

TEST(Contention, AGemmOfOneWaveBesideA24BlockCollectiveFallsFrom80To47PercentOfPeak) {
  // NVIDIA forum 337991: 132 blocks on 132 SMs; beside 24 blocks 108 are left, and 24 tiles wait for a second wave. What stays is the start
  // and drain of the kernel, so the tiles alone say 40 % and more.
  const Op op = gemm(12 * 128, 11 * 256, 8192);
  ASSERT_EQ(gemm_waves(op.m, op.n, 132), 1);
  ASSERT_EQ(gemm_waves(op.m, op.n, 108), 2);
  const double share = 0.80 / stretch(numbers(), op, {24, 0, 0});
  EXPECT_GT(share, 0.40);
  EXPECT_LT(share, 0.48);
}

TEST(Contention, AGemmThatLeavesEnoughSmsIdleLosesNothing) {
  EXPECT_EQ(stretch(numbers(), gemm(4 * 128, 20 * 256, 4096), {24, 0, 0}), 1);   // 80 tiles
}

TEST(Contention, AGemmOfManyTilesLosesWhatTheHeldSmsWouldHaveDone) {
  const double lost = stretch(numbers(), gemm(128 * 1000, 256 * 100, 8192), {24, 0, 0});
  EXPECT_NEAR(lost, 132.0 / 108, 0.003);
}

TEST(Contention, AGemmThatIsToldOfTheSmsLosesNoWholeWave) {
  const Op op = gemm(12 * 128, 11 * 256, 8192);   // one wave of 132
  EXPECT_NEAR(stretch(numbers(), op, {0, 24, 0}), 132.0 / 108 * 1.0, 0.35 * 132.0 / 108);
  EXPECT_LT(stretch(numbers(), gemm(16 * 128, 16 * 256, 8192), {0, 16, 0}), stretch(numbers(), gemm(16 * 128, 16 * 256, 8192), {16, 0, 0}));
}

TEST(Contention, KernelsThatFetchTheirTilesLoseTheirShareOfTheSms) {
  Op op;
  op.kind = OpKind::attention;
  op.groups = 1, op.seq = 32768, op.heads = 64, op.kv_heads = 8, op.qk_dim = op.v_dim = 128;
  EXPECT_NEAR(stretch(numbers(), op, {24, 0, 0}), 132.0 / 108, 0.001);
}

TEST(Contention, StreamingKernelsLoseNothingToHeldSmsButTheirPartOfTheMemory) {
  const Op op = streaming(8'000'000'000);   // 3 us beside 3 ms
  EXPECT_EQ(stretch(numbers(), op, {24, 0, 0}), 1);
  EXPECT_NEAR(stretch(numbers(), op, {24, 0, 300}), 1 / 0.7, 0.002);
  EXPECT_NEAR(stretch(numbers(), op, {99, 0, 0}), 2, 0.005);   // a quarter of the SMs is left, half is needed
}

TEST(Contention, MultiplicationsThatArithmeticLimitsDoNotFeelTheMemory) {
  EXPECT_EQ(stretch(numbers(), gemm(8192, 8192, 8192), {0, 0, 400}), 1);
}

TEST(Contention, MoreThatIsTakenIsNeverFaster) {
  RandomStream dice(1, "contention");
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(n)); };
  const CostModel model(h100());
  for (int i = 0; i < 3000; ++i) {
    const Op op = i % 2 ? gemm(1 + below(20000), 1 + below(20000), 1 + below(20000)) : streaming(1 + below(1'000'000'000));
    const Beside some{static_cast<std::int32_t>(below(200)), static_cast<std::int32_t>(below(40)), static_cast<std::int32_t>(below(1200))};
    Beside more = some;
    more.sms += static_cast<std::int32_t>(below(50));
    more.memory += static_cast<std::int32_t>(below(500));
    EXPECT_GE(model.stretch(op, some), 1);
    EXPECT_GE(model.stretch(op, more), model.stretch(op, some));
    EXPECT_LT(model.stretch(op, more), 1e6);
  }
}

}  // namespace
}  // namespace moesim
