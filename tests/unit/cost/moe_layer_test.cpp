#include "cost/moe_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/draws.h"
#include "base/error.h"
#include "unit/cost/profiles.h"

namespace moesim {
namespace {

// 4 TB/s, 1000 TFLOP/s bf16, 100 SMs.
HwProfile machine() {
  HwProfile p = round_profile();
  p.gpu.sms.value = 100;
  return p;
}

//                             fixed  memory compute activation reread token wave
constexpr MoeConstants kRound{10e-6, 0.5,   0.5,    0.5,       0.25,  1,    0};
using Counts = std::vector<std::int64_t>;

TEST(MoeLoad, CountsRowsExpertsTilesAndTheHottest) {
  const MoeLoad l = moe_load(Counts{0, 1, 128, 129, 0});
  EXPECT_EQ(l.rows, 258);
  EXPECT_EQ(l.touched, 3);
  EXPECT_EQ(l.tiles, 4);
  EXPECT_EQ(l.hottest, 129);
  EXPECT_EQ(moe_load({}).tiles, 0);
}

TEST(MoeLayer, OfFewRowsReadsTheWeightsOfTheExpertsThatAreTouched) {
  const MoeLayerForm form(machine(), DType::bf16, kRound);
  const MoeShape s{1024, 1000};
  // One expert: 3 x 1024 x 1000 x 2 bytes at 2 TB/s = 3.072 us; arithmetic of a padded tile at 500 TFLOP/s is 1.57 us, so the root of the fourth
  // powers is 3.072 (1 + 0.0684)^(1/4). A row moves 2 (2048 + 3000) bytes at 2 TB/s; 8 tokens 2048 bytes each at 4 TB/s.
  const double arithmetic = 6.0 * 1024 * 1000 * 128 / 500e12, weights = 3.072e-6;
  const double both = std::sqrt(std::sqrt(std::pow(weights, 4) + std::pow(arithmetic, 4)));
  EXPECT_NEAR(form.seconds(s, moe_load(Counts{1, 0}), 8), 10e-6 + both + 10096 / 2e12 + 8 * 2048 / 4e12, 1e-12);
  const double one = form.seconds(s, moe_load(Counts{1, 0}), 8), two = form.seconds(s, moe_load(Counts{1, 1}), 8);
  EXPECT_NEAR(two - one, both + 10096 / 2e12, 1e-12);
}

TEST(MoeLayer, TakesUnevenCountsForWhatTheyAre) {
  const MoeLayerForm form(machine(), DType::bf16, kRound);
  const MoeShape s{4096, 1536};
  // As many rows: spread thinly they read more weights, on one expert they fill as many tiles as they need.
  const double even = form.seconds(s, moe_load(Counts{64, 64, 64, 64}), 128), one = form.seconds(s, moe_load(Counts{256, 0, 0, 0}), 128);
  EXPECT_GT(even, 1.5 * one);
  EXPECT_GT(form.seconds(s, moe_load(Counts{129}), 128), form.seconds(s, moe_load(Counts{128}), 128));
}

TEST(MoeLayer, IsFinitePositiveAndRisesWithWorkOnAFuzzedDomain) {
  RandomStream random(1, "moe layer");
  const auto draw = [&](double most) { return 1 + static_cast<std::int64_t>(uniform(random) * uniform(random) * most); };
  const MoeLayerForm form(machine(), DType::fp8, kRound);
  for (int i = 0; i < 2000; ++i) {
    const MoeShape s{draw(1 << 16), draw(1 << 16)};
    Counts counts(static_cast<std::size_t>(draw(256)));
    for (std::int64_t& c : counts) c = draw(i % 2 ? 1000 : 0x1p31) - 1;
    const double tokens = static_cast<double>(draw(0x1p31)), t = form.seconds(s, moe_load(counts), tokens);
    ASSERT_TRUE(std::isfinite(t) && t > 0);
    EXPECT_GE(form.seconds({s.hidden + 1, s.inter}, moe_load(counts), tokens), t);
    EXPECT_GE(form.seconds({s.hidden, s.inter + 1}, moe_load(counts), tokens), t);
    EXPECT_GE(form.seconds(s, moe_load(counts), tokens + 1), t);
    ++counts[static_cast<std::size_t>(draw(static_cast<double>(counts.size())) - 1)];
    EXPECT_GE(form.seconds(s, moe_load(counts), tokens), t);
  }
}

TEST(MoeLayer, SlopesAreThoseOfItsTime) {
  for (const Counts& counts : {Counts{1, 0, 3}, Counts{900, 20, 5000}}) {
    const MoeConstants at{10e-6, 0.5, 0.6, 0.4, 0.25, 2, 0.7};
    const MoeShape s{2048, 768};
    const MoeLayerForm::Slopes slopes = MoeLayerForm(machine(), DType::bf16, at).slopes(s, moe_load(counts), 4096);
    EXPECT_DOUBLE_EQ(slopes.seconds, MoeLayerForm(machine(), DType::bf16, at).seconds(s, moe_load(counts), 4096));
    for (std::size_t i = 0; i < kMoeConstants; ++i) {
      MoeConstants up = at, down = at;
      up[i] *= 1.0001, down[i] /= 1.0001;
      const auto time = [&](const MoeConstants& c) { return MoeLayerForm(machine(), DType::bf16, c).seconds(s, moe_load(counts), 4096); };
      EXPECT_NEAR(slopes.slope[i], std::log(time(up) / time(down)) / (2 * std::log(1.0001)), 1e-6) << i;
    }
  }
}

TEST(MoeLayer, NeedsAFormatOfTheMachine) { EXPECT_THROW(MoeLayerForm(machine(), DType::fp4, kRound), InputError); }

TEST(MoeLayerCurve, SaysHowItKnows) {
  const MoeLayerForm form(machine(), DType::bf16, kRound);
  const MoeShape s{2048, 768};
  const Counts counts{16, 16, 16, 16};
  MeasuredForm twice;
  twice.constants.assign(kRound.begin(), kRound.end());
  twice.sizes = {s.hidden, s.inter, 64, 64 * 100, 4 * 100, 16 * 100};
  twice.log_ratio = {std::log(2.0)};
  const MoeLayerCurve curve(twice, machine(), DType::bf16, true), borrowed(twice, machine(), DType::bf16, false);
  EXPECT_EQ(borrowed.cost(s, counts, 64).provenance, Provenance::extrapolated);
  EXPECT_EQ(curve.cost(s, counts, 64).provenance, Provenance::interpolated);
  EXPECT_NEAR(seconds(curve.cost(s, counts, 64).time) / (2 * form.seconds(s, moe_load(counts), 64)), 1, 1e-6);
  EXPECT_EQ(curve.cost(s, Counts{1 << 20}, 1 << 20).provenance, Provenance::extrapolated);
  EXPECT_GT(curve.cost(s, Counts{}, 1).time, Time{0});
}

}  // namespace
}  // namespace moesim
