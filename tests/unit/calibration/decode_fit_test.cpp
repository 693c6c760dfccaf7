#include "calibration/decode_fit.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/cost/profiles.h"

namespace moesim {
namespace {

HwProfile machine() {
  HwProfile p = round_profile();
  p.gpu.sms.value = 100;
  return p;
}

std::vector<DecodeTiming> timings() {
  const DecodeForm form(machine(), {12e-6, 0.7, 0.3, 0.1, 60, 2e-8});
  std::vector<DecodeTiming> out;
  for (const std::int64_t batch : {1, 4, 16, 64, 256})
    for (std::int64_t kv_len = 128; kv_len <= 65536; kv_len *= 2)
      for (const std::int64_t kv_heads : {4, 8, 32}) {
        const DecodeCase c{batch, kv_len, 32, kv_heads, 128, 0, 0, DType::bf16};
        out.push_back({c, form.seconds(c)});
      }
  return out;
}

TEST(DecodeFit, GoesThroughItsTimings) {
  const std::vector<DecodeTiming> all = timings();
  const DecodeCurve curve(fit_decode(machine(), all), machine(), true);
  for (const DecodeTiming& t : all) EXPECT_NEAR(curve.at(t.op).seconds / t.seconds, 1, 0.01);
}

TEST(DecodeFit, FindsHeadsThatItNeverSaw) {
  const DecodeForm truth(machine(), {12e-6, 0.7, 0.3, 0.1, 60, 2e-8});
  const DecodeCurve curve(fit_decode(machine(), timings()), machine(), true);
  for (const std::int64_t kv_len : {200, 3000, 50000}) {
    const DecodeCase c{48, kv_len, 64, 16, 128, 0, 0, DType::bf16};
    EXPECT_NEAR(curve.at(c).seconds / truth.seconds(c), 1, 0.05) << kv_len;
  }
}

TEST(DecodeFit, OneWildTimingDoesNotReachItsNeighbours) {
  std::vector<DecodeTiming> all = timings();
  all[20].seconds *= 100;
  const DecodeCurve curve(fit_decode(machine(), all), machine(), true);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != 20) { EXPECT_NEAR(curve.at(all[i].op).seconds / all[i].seconds, 1, 0.03); }
}

TEST(DecodeFit, NeedsTimings) { EXPECT_THROW((void)fit_decode(machine(), {}), InputError); }

}  // namespace
}  // namespace moesim
