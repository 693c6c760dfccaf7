#include "cost/decode_attention.h"

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

//                               fixed memory compute rows split sequence
constexpr DecodeConstants kRound{10e-6, 0.5,  1,      1,   10,   1e-9};

DecodeCase gqa(std::int64_t batch, std::int64_t kv_len) { return {batch, kv_len, 64, 8, 128, 0, 0, DType::bf16}; }
DecodeCase latent(std::int64_t batch, std::int64_t kv_len, std::int64_t heads) { return {batch, kv_len, heads, 1, 128, 512, 64, DType::bf16}; }

TEST(DecodeAttention, StreamsTheCacheOfManySequences) {
  const DecodeForm form(machine(), kRound);
  // 64 x 4096 x 8 x 256 x 2 bytes at 2 TB/s; padded arithmetic 2 x 512 x 64 x 4096 x 256 at 1000 TFLOP/s; 100 / (10 x 512) more for few units;
  // 64 x 64 x 256 x 2 bytes of rows at 4 TB/s; 512 units of 1 ns.
  const double cache = 64.0 * 4096 * 8 * 256 * 2 / 2e12, arithmetic = 2.0 * 512 * 64 * 4096 * 256 / 1e15;
  EXPECT_NEAR(form.seconds(gqa(64, 4096)), 10e-6 + std::hypot(cache, arithmetic) * (1 + 100.0 / 5120) + 64.0 * 64 * 256 * 2 / 4e12 + 512e-9, 1e-12);
}

TEST(DecodeAttention, AnFp8CacheIsHalfOfABf16One) {
  const DecodeForm form(machine(), {1e-9, 0.5, 1e6, 1e6, 1e6, 1e-15});
  DecodeCase c = gqa(64, 4096);
  const double bf16 = form.seconds(c);
  c.kv = DType::fp8;
  EXPECT_NEAR(bf16 / form.seconds(c), 2, 0.01);
}

TEST(DecodeAttention, OneSequenceDoesNotFillTheGpu) {
  const DecodeForm form(machine(), kRound);
  EXPECT_LT(form.seconds(gqa(8, 65536)) - 10e-6, 5 * (form.seconds(gqa(1, 65536)) - 10e-6));
}

TEST(DecodeAttention, LatentHeadsShareTheCacheUpToATile) {
  const DecodeForm form(machine(), {1e-9, 0.5, 0.3, 1e6, 1e6, 1e-15});
  EXPECT_NEAR(form.seconds(latent(64, 4096, 64)) / form.seconds(latent(64, 4096, 8)), 1, 1e-6);
  EXPECT_GT(form.seconds(latent(64, 4096, 128)), 1.2 * form.seconds(latent(64, 4096, 64)));
}

TEST(DecodeAttention, IsFinitePositiveAndRisesOnAFuzzedDomain) {
  RandomStream random(1, "decode");
  const auto draw = [&](double most) { return 1 + static_cast<std::int64_t>(uniform(random) * uniform(random) * most); };
  const DecodeForm form(machine(), kRound);
  for (int i = 0; i < 2000; ++i) {
    DecodeCase c{draw(1 << 20), draw(0x1p31), 0, draw(128), draw(512), i % 3 ? 0 : 512, i % 3 ? 0 : 64, i % 2 ? DType::bf16 : DType::fp8};
    c.heads = c.kv_heads * draw(64);
    const double t = form.seconds(c);
    ASSERT_TRUE(std::isfinite(t) && t > 0);
    for (std::int64_t DecodeCase::*member : {&DecodeCase::kv_len, &DecodeCase::batch, &DecodeCase::head_dim}) {
      DecodeCase more = c;
      more.*member *= 2;
      EXPECT_GE(form.seconds(more), t);
    }
  }
}

TEST(DecodeAttention, SlopesAreThoseOfItsTime) {
  const DecodeConstants at{10e-6, 0.5, 0.05, 0.3, 3, 1e-8};
  for (const DecodeCase& c : {gqa(2, 5000), gqa(256, 128), latent(16, 4096, 128)}) {
    const DecodeForm::Slopes slopes = DecodeForm(machine(), at).slopes(c);
    EXPECT_DOUBLE_EQ(slopes.seconds, DecodeForm(machine(), at).seconds(c));
    for (std::size_t i = 0; i < kDecodeConstants; ++i) {
      DecodeConstants up = at, down = at;
      up[i] *= 1.0001, down[i] /= 1.0001;
      EXPECT_NEAR(slopes.slope[i], std::log(DecodeForm(machine(), up).seconds(c) / DecodeForm(machine(), down).seconds(c)) / (2 * std::log(1.0001)), 1e-6) << i;
    }
  }
}

TEST(DecodeCurve, IsTheFormTimesTheRatioAndSaysHowItKnows) {
  MeasuredForm twice;
  twice.constants.assign(kRound.begin(), kRound.end());
  twice.sizes = {64, 4096, 64, 8, 128, 0, 0}, twice.log_ratio = {std::log(2.0)};
  const DecodeCurve own(twice, machine(), true);
  EXPECT_NEAR(own.at(gqa(64, 4096)).seconds, 2 * DecodeForm(machine(), kRound).seconds(gqa(64, 4096)), 1e-12);
  EXPECT_EQ(own.at(gqa(64, 4096)).provenance, Provenance::measured);
  EXPECT_EQ(own.at(gqa(64, 5000)).provenance, Provenance::interpolated);
  EXPECT_EQ(own.at(gqa(64, 1 << 20)).provenance, Provenance::extrapolated);
  EXPECT_EQ(DecodeCurve(twice, machine(), false).at(gqa(64, 4096)).provenance, Provenance::extrapolated);
}

TEST(DecodeAttention, NeedsBf16) {
  HwProfile p = machine();
  p.gpu.peak.erase(DType::bf16);
  EXPECT_THROW(DecodeForm(p, kRound), InputError);
}

}  // namespace
}  // namespace moesim
