// The shipped curves of kernels that serving needs.
#include "cost/inference_curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/draws.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;
constexpr std::array kDevices{"dgx-a100", "dgx-h100", "dgx-h200", "dgx-b200", "gb200-nvl72"};

DecodeCase heads64(std::int64_t batch, std::int64_t kv_len) { return {batch, kv_len, 64, 8, 128, 0, 0, DType::bf16}; }

TEST(InferenceCurves, AreThereForTimedDevicesAndTheirBorrowers) {
  for (const char* device : kDevices) {
    const HwProfile hw = load_hw_profile(device, kData);
    EXPECT_TRUE(decode_curve(hw, Cache::keys_values, DType::bf16)) << device;
    EXPECT_TRUE(decode_curve(hw, Cache::latent, DType::bf16)) << device;
    EXPECT_FALSE(decode_curve(hw, Cache::latent, DType::fp4)) << device;
    EXPECT_EQ(quantize_curve(hw, QuantizeStep::cast, Clocks::burst).has_value(), hw.gpu.peak.contains(DType::fp8)) << device;
  }
  EXPECT_FALSE(decode_curve(load_hw_profile("h20", kData), Cache::keys_values, DType::bf16));
}

TEST(InferenceCurves, DecodeAsFactsQuoteIt) {
  // 64 query and 8 KV heads of 128: H100 355-369 us for 64 sequences of 4096, H200 256-265, B200 160.
  const auto us = [](const char* machine) { return decode_curve(load_hw_profile(machine, kData), Cache::keys_values, DType::bf16)->at(heads64(64, 4096)).seconds * 1e6; };
  EXPECT_NEAR(us("dgx-h100"), 362, 12);
  EXPECT_NEAR(us("dgx-h200"), 260, 9);
  EXPECT_NEAR(us("dgx-b200"), 160, 5);
}

TEST(InferenceCurves, OfABorrowerAreExtrapolated) {
  const HwProfile h200 = load_hw_profile("dgx-h200", kData), alps = load_hw_profile("alps-gh200", kData);
  const auto known = [](const HwProfile& hw) { return decode_curve(hw, Cache::keys_values, DType::bf16)->at(heads64(64, 4096)); };
  EXPECT_EQ(known(h200).provenance, Provenance::measured);
  EXPECT_EQ(known(alps).provenance, Provenance::extrapolated);
  EXPECT_NEAR(known(alps).seconds / known(h200).seconds, 4.8 / 4.0, 0.06);   // the cache streams
}

TEST(InferenceCurves, AreFiniteAndPositiveFromOneTokenToTwoToTheThirtyOne) {
  RandomStream random(1, "inference curves");
  const auto size = [&](int bits) { return (std::int64_t{1} << random() % static_cast<std::uint64_t>(bits)); };
  for (const char* device : kDevices) {
    const HwProfile hw = load_hw_profile(device, kData);
    const DecodeCurve cached = *decode_curve(hw, Cache::keys_values, DType::bf16), latent = *decode_curve(hw, Cache::latent, DType::bf16);
    const auto cast = quantize_curve(hw, QuantizeStep::cast, Clocks::sustained);
    for (int i = 0; i < 200; ++i) {
      DecodeCase c{size(20), size(32), 0, size(7), 128, 0, 0, DType::bf16};
      c.heads = c.kv_heads * size(5);
      for (const bool shared : {false, true}) {
        if (shared) c.latent = 512, c.rope = 64;
        const double t = (shared ? latent : cached).at(c).seconds;
        EXPECT_TRUE(std::isfinite(t) && t > 0) << device;
      }
      const QuantizeCase q{size(32), size(16)};
      if (cast) { EXPECT_TRUE(std::isfinite(cast->at(q).seconds) && cast->at(q).seconds > 0) << device; }
    }
    EXPECT_EQ(cached.at(heads64(1, std::int64_t{1} << 31)).provenance, Provenance::extrapolated) << device;
  }
}

TEST(InferenceCurves, MoeLayersAsFactsQuoteThem) {
  // Balanced, us: DeepSeek-V3 fp8_block EP8 (32 experts of 7168 x 2048 a rank) and Qwen3-235B bf16 EP8 (16 of 4096 x 1536).
  struct Quoted {
    const char* machine;
    MoeFormat format;
    MoeShape shape;
    std::int64_t experts, tokens_per_expert;
    double us;
  };
  for (const Quoted& q : {Quoted{"dgx-h200", MoeFormat::fp8_block, {7168, 2048}, 32, 16, 397}, {"dgx-h200", MoeFormat::fp8_block, {7168, 2048}, 32, 512, 2499},
                          {"dgx-h200", MoeFormat::bf16, {4096, 1536}, 16, 64, 210}, {"dgx-h200", MoeFormat::bf16, {4096, 1536}, 16, 1024, 997},
                          {"dgx-b200", MoeFormat::fp8_block, {7168, 2048}, 32, 128, 356}, {"dgx-b200", MoeFormat::bf16, {4096, 1536}, 16, 256, 204}}) {
    const HwProfile hw = load_hw_profile(q.machine, kData);
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(q.experts), q.tokens_per_expert);
    const Cost c = moe_layer_curve(hw, *load_moe_curves(hw), q.format)->cost(q.shape, counts, q.experts * q.tokens_per_expert);
    EXPECT_NEAR(seconds(c.time) * 1e6 / q.us, 1, 0.06) << q.machine << " " << q.us;
    EXPECT_EQ(c.provenance, Provenance::interpolated);
  }
  EXPECT_FALSE(load_moe_curves(load_hw_profile("rtx-pro-6000", kData)));
  const HwProfile a100 = load_hw_profile("dgx-a100", kData), gh200 = load_hw_profile("alps-gh200", kData);
  EXPECT_FALSE(moe_layer_curve(a100, *load_moe_curves(a100), MoeFormat::fp8));
  EXPECT_EQ(moe_layer_curve(gh200, *load_moe_curves(gh200), MoeFormat::bf16)->cost({4096, 1536}, std::vector<std::int64_t>(16, 64), 1024).provenance, Provenance::extrapolated);
}

// Below that a launch takes the time, and timings of it scatter by a tenth.
TEST(InferenceCurves, CastsOfTwiceAsManyMegabytesNeverCostLess) {
  for (const char* device : kDevices) {
    const auto cast = quantize_curve(load_hw_profile(device, kData), QuantizeStep::cast, Clocks::burst);
    if (!cast) continue;
    for (const std::int64_t columns : {128, 1000, 4096, 16384})
      for (std::int64_t rows = (std::int64_t{1} << 22) / columns; rows < std::int64_t{1} << 31; rows *= 2)
        EXPECT_LE(cast->at({rows, columns}).seconds, cast->at({2 * rows, columns}).seconds) << device << " " << rows << " x " << columns;
  }
}

}  // namespace
}  // namespace moesim
