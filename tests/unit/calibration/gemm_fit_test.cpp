#include "calibration/gemm_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "cost/closed_form.h"
#include "cost/gemm_curve.h"
#include "unit/cost/profiles.h"

namespace moesim {
namespace {

const KernelNumbers kNumbers = kernel_numbers(round_profile(), Clocks::burst);

double form(GemmShape s) { return GemmForm(kNumbers, DType::bf16, kClosedFormGemm).seconds(s); }

/// What the fit to timings says of any shape.
double fitted(std::span<const GemmTiming> timings, GemmShape s) {
  Op op;
  op.kind = OpKind::gemm;
  return GemmCurve(fit_gemm(kNumbers, DType::bf16, timings), kNumbers, kNumbers, op, true).at(s).seconds;
}

std::vector<GemmTiming> timings(double factor, GemmShape without = {}) {
  std::vector<GemmTiming> out;
  for (const std::int64_t m : {1, 256, 4096})
    for (const std::int64_t n : {512, 2048, 8192})
      for (const std::int64_t k : {1024, 4096})
        if (const GemmShape s{m, n, k}; n != without.n || k != without.k) out.push_back({s, factor * form(s)});
  return out;
}

TEST(GemmFit, GoesThroughItsTimings) {
  for (const GemmTiming& t : timings(1.3)) EXPECT_NEAR(fitted(timings(1.3), t.shape) / t.seconds, 1, 1e-12);
}

TEST(GemmFit, FillsAHoleWithTheFormTimesWhatItsNeighboursTake) {
  const std::vector<GemmTiming> holed = timings(1.3, {1, 2048, 4096});
  EXPECT_NEAR(fitted(holed, {256, 2048, 4096}) / form({256, 2048, 4096}), 1.3, 0.01);
  const MeasuredGemm g = fit_gemm(kNumbers, DType::bf16, holed);
  EXPECT_EQ(std::count(g.timed.begin(), g.timed.end(), false), 3);
}

TEST(GemmFit, GrowsLikeTheFormOutside) {
  for (const GemmShape s : {GemmShape{1 << 20, 512, 1024}, {1, 8192, 1 << 20}, {1LL << 31, 512, 1024}}) EXPECT_NEAR(fitted(timings(1.3), s) / form(s), 1.3, 0.02);
}

TEST(GemmFit, IsFlatBelow) { EXPECT_EQ(fitted(timings(1.3), {256, 1, 7}), fitted(timings(1.3), {256, 512, 1024})); }

TEST(GemmFit, TakesTheMeanOfRepeats) {
  const std::vector<GemmTiming> twice{{{1, 1, 1}, 1e-6}, {{1, 1, 1}, 4e-6}};
  EXPECT_NEAR(fitted(twice, {1, 1, 1}), 2e-6, 1e-15);
}

TEST(GemmFit, RisesWithNAndKWithinAndBeyondItsTimings) {
  std::vector<GemmTiming> noisy = timings(1);
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].seconds *= i % 3 == 0 ? 1.6 : 0.8;
  Op op;
  op.kind = OpKind::gemm;
  const GemmCurve c(fit_gemm(kNumbers, DType::bf16, noisy), kNumbers, kNumbers, op, true);
  for (const std::int64_t m : {1, 100, 4096})
    for (std::int64_t n = 256; n < 20000; n = n * 5 / 4)
      for (std::int64_t k = 256; k < 20000; k = k * 5 / 4) {
        EXPECT_GE(c.at({m, n + n / 4, k}).seconds * (1 + 1e-12), c.at({m, n, k}).seconds);
        EXPECT_GE(c.at({m, n, k + k / 4}).seconds * (1 + 1e-12), c.at({m, n, k}).seconds);
      }
}

TEST(GemmFit, FindsTheTimesThatConstantsMade) {
  const GemmForm truth(kNumbers, DType::bf16, {2, 0.75, 1.4, 1.2});
  std::vector<GemmTiming> made;
  for (std::int64_t m = 1; m <= 16384; m *= 4)
    for (const std::int64_t n : {512, 2048, 8192})
      for (const std::int64_t k : {512, 4096, 16384}) made.push_back({{m, n, k}, truth.seconds({m, n, k})});
  const GemmForm found(kNumbers, DType::bf16, fit_gemm_constants(kNumbers, DType::bf16, made));
  for (const GemmTiming& t : made) EXPECT_NEAR(found.seconds(t.shape) / t.seconds, 1, 0.02);
}

TEST(GemmFit, NeedsTimingsAndARate) {
  EXPECT_THROW((void)fit_gemm(kNumbers, DType::bf16, {}), InputError);
  EXPECT_THROW((void)fit_gemm(kNumbers, DType::fp4, timings(1)), InputError);
}

}  // namespace
}  // namespace moesim
