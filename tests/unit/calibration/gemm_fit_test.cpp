#include "calibration/gemm_fit.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace moesim {
namespace {

double form(GemmShape s) {
  return 3e-6 + 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) / 800e12;
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
  const GemmGrid g = fit_gemm_grid(timings(1.3), form);
  for (const GemmTiming& t : timings(1.3)) EXPECT_NEAR(gemm_seconds(g, form, t.shape) / t.seconds, 1, 1e-12);
}

TEST(GemmFit, FillsAHoleWithTheFormTimesWhatItsNeighboursTake) {
  const GemmGrid g = fit_gemm_grid(timings(1.3, {1, 2048, 4096}), form);
  EXPECT_NEAR(gemm_seconds(g, form, {256, 2048, 4096}) / form({256, 2048, 4096}), 1.3, 1e-9);
}

TEST(GemmFit, GrowsLikeTheFormOutside) {
  const GemmGrid g = fit_gemm_grid(timings(1.3), form);
  for (const GemmShape s : {GemmShape{1 << 20, 512, 1024}, {1, 8192, 1 << 20}, {1LL << 31, 512, 1024}})
    EXPECT_NEAR(gemm_seconds(g, form, s) / form(s), 1.3, 1e-9);
}

TEST(GemmFit, IsFlatBelow) {
  const GemmGrid g = fit_gemm_grid(timings(1.3), form);
  EXPECT_EQ(gemm_seconds(g, form, {256, 1, 7}), gemm_seconds(g, form, {256, 512, 1024}));
}

TEST(GemmFit, TakesTheMeanOfRepeats) {
  const std::vector<GemmTiming> twice{{{1, 1, 1}, 1e-6}, {{1, 1, 1}, 4e-6}};
  EXPECT_NEAR(fit_gemm_grid(twice, form).seconds({1, 1, 1}), 2e-6, 1e-15);
}

TEST(GemmFit, RisesWithNAndK) {
  std::vector<GemmTiming> noisy = timings(1);
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].seconds *= i % 3 == 0 ? 1.6 : 0.8;
  const GemmGrid g = fit_gemm_grid(noisy, form);
  for (const std::int64_t m : {1, 100, 4096})
    for (std::int64_t n = 256; n < 20000; n = n * 5 / 4)
      for (std::int64_t k = 256; k < 20000; k = k * 5 / 4) {
        EXPECT_GE(gemm_seconds(g, form, {m, n + n / 4, k}) * (1 + 1e-12), gemm_seconds(g, form, {m, n, k}));
        EXPECT_GE(gemm_seconds(g, form, {m, n, k + k / 4}) * (1 + 1e-12), gemm_seconds(g, form, {m, n, k}));
      }
}

TEST(GemmFit, NeedsTimings) { EXPECT_THROW((void)fit_gemm_grid({}, form), InputError); }

}  // namespace
}  // namespace moesim
