#include "calibration/collective_reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;

double formula(std::int64_t gpus, double bytes, const HwProfile& hw) {
  const Transfer t = collective(CollectiveOp::all_gather, Bytes{static_cast<std::int64_t>(bytes)}, place(ranks(static_cast<std::uint32_t>(gpus)), hw), hw).transfer;
  return seconds(t.latency + t.span);
}

/// Timed between 1 and 16 MiB, up to 32 GPUs, at 1.5 times the formula.
CollectiveReach half_slower(const HwProfile& hw, bool knows_gpus = true) {
  return CollectiveReach([&hw](std::int64_t n, double b) { return 1.5 * formula(n, b, hw); }, CollectiveOp::all_gather, hw, {1 << 20, 1 << 24, 32, 128, knows_gpus});
}

TEST(CollectiveReach, IsTheFitWhereSomethingWasTimed) {
  const HwProfile hw = test::dgx_h100();
  EXPECT_DOUBLE_EQ(half_slower(hw).curve(16, {1 << 22}).front(), 1.5 * formula(16, 1 << 22, hw));
}

TEST(CollectiveReach, FadesIntoTheFormulaOverFourOctaves) {
  const HwProfile hw = test::dgx_h100();
  const auto off_by = [&](double bytes) { return half_slower(hw).curve(16, {bytes}).front() / formula(16, bytes, hw); };
  EXPECT_NEAR(off_by(1 << 16), std::pow(1.5, std::exp(-1)), 1e-3);   // 4 octaves below
  EXPECT_NEAR(off_by(1 << 28), std::pow(1.5, std::exp(-1)), 1e-3);   // 4 above
  EXPECT_NEAR(off_by(1LL << 36), 1, 0.03);
}

TEST(CollectiveReach, HandsOverToTheFormulaWithGpus) {
  const HwProfile hw = test::dgx_h100();
  for (const bool knows : {true, false}) {
    const auto off_by = [&](std::int64_t gpus) { return half_slower(hw, knows).curve(gpus, {1 << 23}).front() / formula(gpus, 1 << 23, hw); };
    EXPECT_NEAR(off_by(32), 1.5, 1e-9);
    EXPECT_NEAR(off_by(64), std::sqrt(1.5), 1e-3);
    EXPECT_NEAR(off_by(128), 1, 1e-9);
  }
}

TEST(CollectiveReach, NeverFallsWithBytes) {
  const HwProfile hw = test::dgx_h100();
  // A fit that is far too slow at its small end and too fast at its large one.
  const CollectiveReach reach([&hw](std::int64_t n, double b) { return formula(n, b, hw) * std::pow(b / (1 << 22), -0.4); }, CollectiveOp::all_gather, hw, {1 << 20, 1 << 24, 32, 128, true});
  std::vector<double> sizes;
  for (double b = 512; b < 1e10; b *= 1.3) sizes.push_back(std::round(b));
  const std::vector<double> times = reach.curve(16, sizes);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

}  // namespace
}  // namespace moesim
