// Forms with fitted constants: attention of whole sequences, GEMM.
#include <gtest/gtest.h>

#include <cmath>

#include "base/draws.h"
#include "base/error.h"
#include "calibration/prefill_fit.h"
#include "cost/closed_form.h"
#include "cost/gemm_form.h"
#include "unit/cost/profiles.h"

namespace moesim {
namespace {

HwProfile machine() {
  HwProfile p = round_profile();
  p.gpu.sms.value = 100;
  return p;
}

KernelNumbers numbers() { return kernel_numbers(machine(), Clocks::burst); }

/// d log(seconds) / d log(constant) by differences; `form` makes one of constants.
template <class Form, class Constants, class Case>
void expect_slopes(const Form& form, const Constants& at, const Case& c) {
  const auto slopes = form(at).slopes(c);
  for (std::size_t i = 0; i < at.size(); ++i) {
    Constants up = at, down = at;
    up[i] *= 1.0001, down[i] /= 1.0001;
    const double ratio = form(up).slopes(c).seconds / form(down).slopes(c).seconds;
    EXPECT_NEAR(slopes.slope[i], std::log(ratio) / (2 * std::log(1.0001)), 1e-6) << i;
  }
}

//                                  fixed compute memory half_seq fill narrow: 10 us, 500 TFLOP/s, 1 TB/s, 410 tokens, 0.5 tiles, half of the time
constexpr PrefillConstants kPrefill{10,   0.625,  0.5,   0.4,     1,   0.5};
constexpr GemmConstants kGemm{2, 0.75, 1.4, 1.2};

TEST(PrefillForm, SlopesAreThoseOfItsTime) {
  const auto form = [](const PrefillConstants& c) { return PrefillForm(numbers(), c); };
  expect_slopes(form, kPrefill, PrefillCase{1, 300, 8, 8, 64, 64});
  expect_slopes(form, kPrefill, PrefillCase{16, 8192, 64, 8, 192, 128});
}

TEST(PrefillForm, OfALongSequenceIsItsArithmetic) {
  // 2 x 64 heads x 65536 x 65537 / 2 pairs x 256 at 500 TFLOP/s, and 0.6 % for the edge.
  EXPECT_NEAR(PrefillForm(numbers(), kPrefill).seconds({1, 65536, 64, 8, 128, 128}) / (64.0 * 65536 * 65537 * 256 / 5e14 * (1 + 0.4 * 1024 / 65536)), 1, 2e-3);
}

TEST(PrefillForm, IsFinitePositiveAndRisesOnAFuzzedDomain) {
  RandomStream random(1, "prefill");
  const auto draw = [&](double most) { return 1 + static_cast<std::int64_t>(uniform(random) * uniform(random) * most); };
  const PrefillForm form(numbers(), kPrefill);
  for (int i = 0; i < 2000; ++i) {
    const PrefillCase c{static_cast<double>(draw(1 << 16)), draw(0x1p31), draw(256), draw(64), draw(512), draw(512)};
    const double t = form.seconds(c);
    ASSERT_TRUE(std::isfinite(t) && t > 0);
    for (std::int64_t PrefillCase::*member : {&PrefillCase::seq, &PrefillCase::heads, &PrefillCase::kv_heads}) {
      PrefillCase more = c;
      more.*member *= 2;
      EXPECT_GE(form.seconds(more), t);
    }
    PrefillCase more = c;
    more.batch *= 2;
    EXPECT_GE(form.seconds(more), t);
  }
}

TEST(PrefillFit, FindsHeadsThatItNeverSaw) {
  const PrefillForm truth(numbers(), {15, 0.9, 0.5, 0.9, 2, 0.3});
  std::vector<PrefillTiming> timings;
  for (const std::int64_t heads : {8, 32, 128})
    for (const double batch : {1.0, 4.0, 32.0})
      for (std::int64_t seq = 64; seq <= 32768; seq *= 2) {
        const PrefillCase c{batch, seq, heads, 8, 128, 128};
        timings.push_back({c, truth.seconds(c)});
      }
  timings[7].seconds *= 50;   // a wild one
  const PrefillCurve curve(fit_prefill(numbers(), timings), numbers(), true);
  for (const std::int64_t seq : {100, 5000, 30000}) {
    const PrefillCase c{2, seq, 64, 8, 128, 128};
    EXPECT_NEAR(curve.at(c).seconds / truth.seconds(c), 1, 0.08) << seq;
  }
  EXPECT_THROW((void)fit_prefill(numbers(), {}), InputError);
}

TEST(GemmForm, SlopesAreThoseOfItsTime) {
  for (const Pass pass : {Pass::forward, Pass::wgrad}) {
    const auto form = [&](const GemmConstants& c) { return GemmForm(numbers(), DType::fp8, c, pass); };
    for (const GemmShape s : {GemmShape{1, 4096, 7168}, {8192, 4096, 512}, {300, 1000, 2000}}) expect_slopes(form, kGemm, s);
  }
}

TEST(GemmForm, IsFinitePositiveAndRisesWithEverySize) {
  RandomStream random(1, "gemm form");
  const auto draw = [&] { return 1 + static_cast<std::int64_t>(uniform(random) * uniform(random) * 0x1p31); };
  for (const Pass pass : {Pass::forward, Pass::wgrad}) {
    const GemmForm form(numbers(), DType::bf16, kGemm, pass);
    for (int i = 0; i < 2000; ++i) {
      const GemmShape s{draw(), draw(), draw()};
      const double t = form.seconds(s);
      ASSERT_TRUE(std::isfinite(t) && t > 0);
      for (std::int64_t GemmShape::*member : {&GemmShape::m, &GemmShape::n, &GemmShape::k}) {
        GemmShape more = s;
        more.*member += more.*member / 8 + 1;
        EXPECT_GE(form.seconds(more), t * (1 - 1e-12));
      }
    }
  }
}

}  // namespace
}  // namespace moesim
