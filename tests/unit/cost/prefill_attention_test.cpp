#include "cost/prefill_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/closed_form.h"
#include "profiles.h"

namespace moesim {
namespace {

const KernelNumbers kBurst = kernel_numbers(round_profile(), Clocks::burst), kSustained = kernel_numbers(round_profile(), Clocks::sustained);
constexpr PrefillConstants kConstants{5, 0.9, 0.8, 0.5, 2, 1.5};

PrefillCase heads64(std::int64_t seq, double batch = 1) { return {batch, seq, 64, 8, 128, 128}; }

/// Half again as long as the form where it was timed.
MeasuredForm timings() {
  MeasuredForm out;
  out.constants.assign(kConstants.begin(), kConstants.end());
  for (const std::int64_t seq : {1024, 16384})
    for (const std::int64_t batch : {1, 16}) {
      for (const std::int64_t size : {batch, seq, std::int64_t{64}, std::int64_t{8}, std::int64_t{128}, std::int64_t{128}}) out.sizes.push_back(size);
      out.log_ratio.push_back(std::log(1.5));
    }
  return out;
}

TEST(PrefillCurve, IsTheFormTimesTheRatioAtTheClocksThatAreAskedFor) {
  for (const KernelNumbers& here : {kBurst, kSustained})
    for (const PrefillCase& c : {heads64(1024), heads64(16384, 16), heads64(3000, 5)})
      EXPECT_NEAR(PrefillCurve(timings(), here, true).at(c).seconds, 1.5 * PrefillForm(here, kConstants).seconds(c), 1e-12);
}

TEST(PrefillCurve, SaysHowItKnows) {
  const PrefillCurve own(timings(), kBurst, true), borrowed(timings(), kBurst, false);
  EXPECT_EQ(own.at(heads64(1024)).provenance, Provenance::measured);
  EXPECT_EQ(own.at(heads64(2000)).provenance, Provenance::interpolated);
  EXPECT_EQ(own.at(heads64(1 << 20)).provenance, Provenance::extrapolated);
  EXPECT_EQ(borrowed.at(heads64(1024)).provenance, Provenance::extrapolated);
}

TEST(PrefillCurve, AWindowIsAsManySequencesOfItsLengthAsLookAtAsManyPairs) {
  // 8192 with a window of 1024: 8192 * 1024 - 1024^2 / 2 pairs = 15 times 1024^2 / 2.
  Op windowed;
  windowed.kind = OpKind::attention, windowed.groups = 2, windowed.seq = 8192, windowed.window = 1024;
  const PrefillCase c = prefill_case(windowed);
  EXPECT_EQ(c.seq, 1024);
  EXPECT_DOUBLE_EQ(c.batch, 30);
  windowed.window = 8192;
  EXPECT_EQ(prefill_case(windowed).seq, 8192);
  EXPECT_DOUBLE_EQ(prefill_case(windowed).batch, 2);
}

}  // namespace
}  // namespace moesim
