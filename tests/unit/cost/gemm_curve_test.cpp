#include "cost/gemm_curve.h"

#include <gtest/gtest.h>

#include "cost/closed_form.h"
#include "profiles.h"

namespace moesim {
namespace {

Op bf16(Pass pass = Pass::forward) {
  Op op;
  op.kind = OpKind::gemm, op.pass = pass;
  return op;
}

constexpr GemmConstants kConstants{1.5, 0.9, 1.1, 2};

double form(const KernelNumbers& c, GemmShape s, Pass pass = Pass::forward) { return GemmForm(c, DType::bf16, kConstants, pass).seconds(s); }

const KernelNumbers kBurst = kernel_numbers(round_profile(), Clocks::burst), kSustained = kernel_numbers(round_profile(), Clocks::sustained);

/// 1.25 times the form at m 64, 4096; n, k 1024, 8192; one of them filled in.
MeasuredGemm timings() {
  MeasuredGemm out;
  out.constants.assign(kConstants.begin(), kConstants.end());
  out.m = {64, 4096}, out.n = out.k = {1024, 8192}, out.timed.assign(8, true);
  for (const std::int64_t m : out.m)
    for (const std::int64_t n : out.n)
      for (const std::int64_t k : out.k) out.seconds.push_back(1.25 * form(kBurst, {m, n, k}));
  out.timed.back() = false;
  return out;
}

TEST(GemmCurve, IsTheTimingAtATimedShapeOfTheSameDeviceAndClocks) {
  const GemmCurve c(timings(), kBurst, kBurst, bf16(), true);
  EXPECT_DOUBLE_EQ(c.at({4096, 1024, 8192}).seconds, 1.25 * form(kBurst, {4096, 1024, 8192}));
  EXPECT_EQ(c.at({4096, 1024, 8192}).provenance, Provenance::measured);
}

TEST(GemmCurve, SaysWhatIsBetweenFilledInAndOutside) {
  const GemmCurve c(timings(), kBurst, kBurst, bf16(), true);
  EXPECT_EQ(c.at({4096, 8192, 8192}).provenance, Provenance::interpolated);   // filled in
  EXPECT_EQ(c.at({512, 1024, 8192}).provenance, Provenance::interpolated);
  EXPECT_EQ(c.at({4096, 1024, 8193}).provenance, Provenance::extrapolated);
  EXPECT_EQ(c.at({63, 1024, 8192}).provenance, Provenance::extrapolated);
}

TEST(GemmCurve, OfAnotherDeviceOrPassIsExtrapolated) {
  EXPECT_EQ(GemmCurve(timings(), kBurst, kBurst, bf16(), false).at({4096, 1024, 8192}).provenance, Provenance::extrapolated);
  EXPECT_EQ(GemmCurve(timings(), kBurst, kBurst, bf16(Pass::wgrad), true).at({4096, 1024, 8192}).provenance, Provenance::extrapolated);
}

TEST(GemmCurve, FollowsTheFormToOtherClocksMachinesAndPasses) {
  KernelNumbers other = kSustained;
  other.bandwidth *= 0.5, other.half_k = 200;
  for (const GemmShape s : {GemmShape{64, 1024, 1024}, {4096, 8192, 1024}}) {
    EXPECT_DOUBLE_EQ(GemmCurve(timings(), kBurst, kSustained, bf16(), true).at(s).seconds, 1.25 * form(kSustained, s));
    EXPECT_DOUBLE_EQ(GemmCurve(timings(), kBurst, other, bf16(), true).at(s).seconds, 1.25 * form(other, s));
    EXPECT_DOUBLE_EQ(GemmCurve(timings(), kBurst, kBurst, bf16(Pass::wgrad), true).at(s).seconds, 1.25 * form(kBurst, s, Pass::wgrad));
  }
}

TEST(GemmCurve, GrowsLikeTheFormBeyondAndIsFlatBelow) {
  const GemmCurve c(timings(), kBurst, kBurst, bf16(), true);
  for (const GemmShape s : {GemmShape{1 << 20, 1024, 1024}, {4096, 1 << 17, 8192}, {64, 1024, 1 << 19}, {1LL << 31, 8192, 8192}})
    EXPECT_NEAR(c.at(s).seconds / (1.25 * form(kBurst, s)), 1, 0.02);
  EXPECT_EQ(c.at({1, 1, 1}).seconds, c.at({64, 1024, 1024}).seconds);
}

TEST(GemmCurve, OfAWeightGradientRisesWithItsRowsToo) {
  MeasuredGemm cliff = timings();
  cliff.m = {64, 257, 4096};   // 257 rows take two tiles, which no width of weights does
  cliff.seconds.insert(cliff.seconds.begin() + 4, 4, 1);
  cliff.timed.resize(12, true);
  const GemmCurve c(cliff, kBurst, kBurst, bf16(Pass::wgrad), true), forward(cliff, kBurst, kBurst, bf16(), true);
  EXPECT_GT(forward.at({257, 1024, 1024}).seconds, forward.at({4096, 1024, 1024}).seconds);
  for (std::int64_t m = 64; m < 1 << 16; m += m / 8) EXPECT_LE(c.at({m, 1024, 1024}).seconds, c.at({m + m / 8, 1024, 1024}).seconds);
  EXPECT_LT(c.at({257, 1024, 1024}).seconds, 1e-3);
}

TEST(GemmCurve, RisesWhereATimingFalls) {
  MeasuredGemm dented = timings();
  dented.seconds[1] = dented.seconds[0] / 2;   // k 8192 in half the time of k 1024
  const GemmCurve c(dented, kBurst, kBurst, bf16(), true);
  EXPECT_GE(c.at({64, 1024, 8192}).seconds, c.at({64, 1024, 1024}).seconds);
}

}  // namespace
}  // namespace moesim
