#include "calibration/moe_fit.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "calibration/normal_equations.h"
#include "unit/cost/profiles.h"

namespace moesim {
namespace {

HwProfile machine() {
  HwProfile p = round_profile();
  p.gpu.sms.value = 100;
  return p;
}

std::vector<MoeTiming> timings(const MoeLayerForm& form) {
  std::vector<MoeTiming> out;
  for (const MoeShape s : {MoeShape{7168, 2048}, {4096, 1536}, {4096, 14336}})
    for (const std::int64_t experts : {1, 4, 16, 64})
      for (std::int64_t rows = 1; rows < 20000; rows *= 3) {
        const std::vector<std::int64_t> counts(static_cast<std::size_t>(experts), rows);
        const MoeLoad load = moe_load(counts);
        const auto tokens = static_cast<double>(rows * experts * 2);
        out.push_back({s, load, tokens, form.seconds(s, load, tokens)});
      }
  return out;
}

TEST(MoeFit, FindsTheTimesThatConstantsMade) {
  const MoeLayerForm truth(machine(), DType::bf16, {25e-6, 0.9, 0.5, 0.2, 0.5, 2, 1});
  const std::vector<MoeTiming> all = timings(truth);
  const MoeLayerForm found(machine(), DType::bf16, fit_moe_constants(machine(), DType::bf16, all));
  for (const MoeTiming& t : all) EXPECT_NEAR(found.seconds(t.shape, t.load, t.tokens) / t.seconds, 1, 0.03);
}

TEST(MoeFit, OneWildTimingDoesNotMoveIt) {
  const MoeLayerForm truth(machine(), DType::bf16, {25e-6, 0.9, 0.5, 0.2, 0.5, 2, 1});
  std::vector<MoeTiming> all = timings(truth);
  all[5].seconds *= 10;
  const MoeLayerForm found(machine(), DType::bf16, fit_moe_constants(machine(), DType::bf16, all));
  all.erase(all.begin() + 5);
  for (const MoeTiming& t : all) EXPECT_NEAR(found.seconds(t.shape, t.load, t.tokens) / t.seconds, 1, 0.06);
}

TEST(MoeFit, TheCurveGoesNearItsTimings) {
  const MoeLayerForm truth(machine(), DType::bf16, {25e-6, 0.9, 0.5, 0.2, 0.5, 2, 1});
  std::vector<MoeTiming> all = timings(truth);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].seconds *= i % 2 ? 1.1 : 0.9;
  const MoeLayerCurve curve(fit_moe_layer(machine(), DType::bf16, all), machine(), DType::bf16, true);
  for (const MoeTiming& t : all)
    EXPECT_NEAR(curve.form().seconds(t.shape, t.load, t.tokens) * curve.ratio(t.shape, t.load, t.tokens) / t.seconds, 1, 0.08);
}

TEST(MoeFit, NeedsTimings) { EXPECT_THROW((void)fit_moe_layer(machine(), DType::bf16, {}), InputError); }

TEST(NormalEquations, SolveLeastSquares) {
  NormalEquations<2> e;
  // y = 2 + 3 x through four points, one of weight 0.
  for (const double x : {0.0, 1.0, 2.0}) e.add({1, x}, 2 + 3 * x, 1);
  e.add({1, 5}, 100, 0);
  const std::array<double, 2> x = e.solution();
  EXPECT_NEAR(x[0], 2, 1e-12);
  EXPECT_NEAR(x[1], 3, 1e-12);
}

TEST(NormalEquations, LeaveAnUnknownThatNothingDependsOn) {
  NormalEquations<2> e;
  e.add({2, 0}, 6, 1);
  EXPECT_EQ(e.solution(), (std::array<double, 2>{3, 0}));
}

}  // namespace
}  // namespace moesim
