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
