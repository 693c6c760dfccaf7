#include "cost/attention_curve.h"

#include <gtest/gtest.h>

#include "cost/closed_form.h"
#include "profiles.h"

namespace moesim {
namespace {

const KernelNumbers kBurst = kernel_numbers(round_profile(), Clocks::burst), kSustained = kernel_numbers(round_profile(), Clocks::sustained);

Op attention(std::int64_t seq, std::int64_t groups = 1, std::int64_t heads = 64, std::int64_t kv_heads = 8, std::int64_t dim = 128) {
  Op op;
  op.kind = OpKind::attention, op.groups = groups, op.seq = seq, op.heads = heads, op.kv_heads = kv_heads, op.qk_dim = op.v_dim = dim;
  return op;
}

/// Half again as long as the closed form everywhere.
MeasuredAttention timings() {
  MeasuredAttention out{"FA", {1024, 16384}, {16, 1024}, {1, 16}, {64, 128}, {}};
  out.ratio.assign(16, 1.5);
  return out;
}

double ratio(const AttentionCurve& c, const Op& op, const KernelNumbers& form = kBurst) { return c.at(op).seconds / closed_form_seconds(form, op); }

TEST(AttentionCurve, IsTheRatioTimesTheClosedFormWhereItWasTimed) {
  const AttentionCurve c(timings(), kBurst, 0, 0, true);
  for (const Op& op : {attention(1024, 1, 16, 16, 64), attention(16384, 16, 64, 4), attention(16384, 2, 512, 32)}) {
    EXPECT_NEAR(ratio(c, op), 1.5, 1e-9);
    EXPECT_EQ(c.at(op).provenance, Provenance::interpolated);
  }
}

TEST(AttentionCurve, FollowsTheClosedFormToOtherClocks) {
  const Op op = attention(16384, 16, 64, 4);
  EXPECT_NEAR(ratio(AttentionCurve(timings(), kSustained, 0, 0, true), op, kSustained), 1.5, 1e-9);
}

TEST(AttentionCurve, CountsSequencesAndHeadsAlike) {
  const AttentionCurve c(timings(), kBurst, 0, 0, true);
  EXPECT_DOUBLE_EQ(c.at(attention(4096, 8, 16, 2)).seconds, c.at(attention(4096, 2, 64, 8)).seconds);
}

TEST(AttentionCurve, AWindowIsAsManySequencesOfItsLengthAsLookAtAsManyPairs) {
  // 8192 with a window of 1024: 8192 * 1024 - 1024^2 / 2 pairs = 15 times 1024^2 / 2.
  const AttentionCurve c(timings(), kBurst, 0, 0, true);
  Op windowed = attention(8192);
  windowed.window = 1024;
  EXPECT_DOUBLE_EQ(c.at(windowed).seconds, c.at(attention(1024, 15)).seconds);
  EXPECT_EQ(c.at(windowed).provenance, Provenance::extrapolated);
}

TEST(AttentionCurve, OutsideTheClosedFormGoesOn) {
  const AttentionCurve c(timings(), kBurst, 0, 0, true);
  for (const Op& op : {attention(16384 * 64, 16), attention(16384, 1 << 10), attention(1, 1, 1, 1)}) {
    EXPECT_NEAR(ratio(c, op), 1.5, 0.03);
    EXPECT_EQ(c.at(op).provenance, Provenance::extrapolated);
  }
}

}  // namespace
}  // namespace moesim
