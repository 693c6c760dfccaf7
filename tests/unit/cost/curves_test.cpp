// CostModel with the shipped curves.
#include <gtest/gtest.h>

#include "cost/cost_model.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k, Pass pass = Pass::forward) {
  Op op;
  op.kind = OpKind::gemm, op.pass = pass, op.m = m, op.n = n, op.k = k;
  return op;
}

Op grouped(std::int64_t rows, std::int64_t groups, std::int64_t busiest, Pass pass = Pass::forward) {
  Op op = gemm(rows, 4096, 7168, pass);
  op.kind = OpKind::grouped_gemm, op.groups = groups, op.busiest = busiest;
  return op;
}

double us(const CostModel& model, const Op& op) { return seconds(model.cost(op).time) * 1e6; }

const CostModel& h100() {
  static const CostModel model(load_hw_profile("dgx-h100", kData), Clocks::burst);
  return model;
}

TEST(Curves, GroupedMultiplicationsAreOneAfterTheOther) {
  EXPECT_NEAR(us(h100(), grouped(8 * 512, 8, 0)), 8 * us(h100(), gemm(512, 4096, 7168)), 1e-5);
  EXPECT_NEAR(us(h100(), grouped(8 * 512, 8, 0, Pass::wgrad)), 8 * us(h100(), gemm(7168, 4096, 512, Pass::wgrad)), 1e-5);
  // 21 rows over 8 matrices: three of 2 rows more than five of 3 take 21.
  EXPECT_NEAR(us(h100(), grouped(21, 8, 0)), 5 * us(h100(), gemm(3, 4096, 7168)) + 3 * us(h100(), gemm(2, 4096, 7168)), 1e-5);
}

TEST(Curves, TheBusiestMatrixHasItsOwnRows) {
  EXPECT_NEAR(us(h100(), grouped(7 * 256 + 4096, 8, 4096)), 7 * us(h100(), gemm(256, 4096, 7168)) + us(h100(), gemm(4096, 4096, 7168)), 1e-5);
  EXPECT_NEAR(us(h100(), grouped(4096, 1, 4096)), us(h100(), gemm(4096, 4096, 7168)), 1e-5);
}

TEST(Curves, ABusiestMatrixThatCannotBeIsTheNearestThatCan) {
  EXPECT_EQ(us(h100(), grouped(8 * 512, 8, 1)), us(h100(), grouped(8 * 512, 8, 512)));
  EXPECT_EQ(us(h100(), grouped(8, 8, 100)), us(h100(), grouped(8, 8, 1)));
}

TEST(Curves, MatricesWithoutRowsCostNothing) { EXPECT_NEAR(us(h100(), grouped(3, 64, 0)), 3 * us(h100(), gemm(1, 4096, 7168)), 1e-5); }

TEST(Curves, SayHowTheyAreKnown) {
  const CostModel h200(load_hw_profile("dgx-h200", kData), Clocks::burst), alps(load_hw_profile("alps-gh200", kData), Clocks::burst), h20(load_hw_profile("h20", kData));
  const auto known = [](const CostModel& m, const Op& op) { return m.cost(op).provenance; };
  EXPECT_EQ(known(h200, gemm(4096, 8192, 8192)), Provenance::measured);
  EXPECT_EQ(known(h200, gemm(5000, 8192, 8192)), Provenance::interpolated);
  EXPECT_EQ(known(h200, gemm(4096, 8192, 20000)), Provenance::extrapolated);
  EXPECT_EQ(known(h200, gemm(4096, 8192, 8192, Pass::dgrad)), Provenance::extrapolated);
  EXPECT_EQ(known(alps, gemm(4096, 8192, 8192)), Provenance::extrapolated);   // H200's
  EXPECT_EQ(known(h20, gemm(4096, 8192, 8192)), Provenance::analytic);
}

TEST(Curves, GiveWayToTheRateThatALongLoadHolds) {
  const HwProfile hw = load_hw_profile("dgx-h200", kData);
  const CostModel held(hw), burst(hw, Clocks::burst);
  const Op wide = gemm(4096, 8192, 8192), thin = gemm(64, 8192, 8192);
  EXPECT_NEAR(us(held, wide), flops(wide).count() / (hw.gpu.peak.at(DType::bf16).value.count() * hw.compute.gemm.sustained.at(DType::bf16).value) * 1e6, 1e-5);
  EXPECT_GT(us(held, wide), us(burst, wide));
  EXPECT_EQ(held.cost(wide).provenance, Provenance::extrapolated);
  EXPECT_EQ(us(held, thin), us(burst, thin));
  EXPECT_EQ(held.cost(thin).provenance, burst.cost(thin).provenance);
}

TEST(Curves, AChangedNumberOfTheMachineActsOnThemAndMakesThemExtrapolated) {
  HwProfile fast = load_hw_profile("dgx-h200", kData);
  const CostModel before(fast);
  fast.gpu.memory_bandwidth.value = fast.gpu.memory_bandwidth.value * 2.0;
  const CostModel after(fast);
  const Op thin = gemm(1, 8192, 8192), wide = gemm(8192, 8192, 8192);
  EXPECT_LT(us(after, thin), 0.6 * us(before, thin));
  EXPECT_NEAR(us(after, wide) / us(before, wide), 1, 1e-4);
  EXPECT_EQ(after.cost(thin).provenance, Provenance::extrapolated);
}

TEST(Curves, Gh200IsH200WithItsOwnMemory) {
  // One row reads its weights: 0.8 of 4.8 TB/s on H200, 0.75 of 4.0 here.
  const CostModel h200(load_hw_profile("dgx-h200", kData), Clocks::burst), gh200(load_hw_profile("alps-gh200", kData), Clocks::burst);
  EXPECT_NEAR(us(gh200, gemm(1, 16384, 16384)) / us(h200, gemm(1, 16384, 16384)), 0.8 * 4.8 / (0.75 * 4.0), 0.02);
  EXPECT_NEAR(us(gh200, gemm(8192, 8192, 8192)) / us(h200, gemm(8192, 8192, 8192)), 1, 1e-3);
}

TEST(Curves, TrainingWithBlockwiseScalesHasItsOwn) {
  const HwProfile h800 = load_hw_profile("h800-deepseek", kData);
  EXPECT_EQ(h800.measured.fp8, "fp8_block");
  EXPECT_EQ(load_hw_profile("dgx-h100", kData).measured.fp8, "fp8");
}

TEST(Curves, FewHeadsBackwardFillTheGpuWorse) {
  // 8 heads of 4096: 8 * 32 tiles over 132 SMs = 1.94 each; 64 heads: 15.5.
  Op few;
  few.kind = OpKind::attention, few.pass = Pass::dgrad, few.seq = 4096, few.heads = few.kv_heads = 8, few.qk_dim = few.v_dim = 128;
  Op many = few;
  many.heads = many.kv_heads = 64;
  EXPECT_NEAR(8 * (us(h100(), few) - 3) / (us(h100(), many) - 3), (1 + 0.6 * 132 / 256) / (1 + 0.6 * 132 / 2048), 1e-3);
}

}  // namespace
}  // namespace moesim
