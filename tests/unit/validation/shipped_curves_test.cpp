// What is scored is what ships: the models of hw_profiles/measured against fits to the shipped tables.
#include <gtest/gtest.h>

#include <cmath>

#include "validation/kernel_files.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

TEST(ShippedCurves, AreTheFitsToTheShippedTables) {
  constexpr double kRounding = 1e-3;   // of ratios and constants in the file
  const KernelKinds kinds;
  DeviceMachines machines(kData);
  const auto is = [](std::string_view wanted) { return [wanted](const std::string& s) { return s == wanted; }; };
  for (const char* kind : {"gemm", "attention", "decode", "mla", "quantize", "moe"}) {
    const KernelTable& table = *kinds.all().at(kind);
    const KernelFiles files = read_kernel_files(kData / "validate" / "kernels" / "tables", kinds, machines, is(kind), is("h200_sxm"));
    ASSERT_EQ(files.tables.size(), 1U) << kind;
    const std::vector<TimedSeries>& all = files.tables.front().series;
    const HwProfile& hw = *machines.find("h200_sxm");
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(std::string(kind) + ", " + all[i].framework + " " + all[i].kernel + ", " + all[i].format);
      const auto fitted = table.fit(all, i, hw, [](const TimedRow&) { return true; }), shipped = table.shipped(hw, all[i]);
      ASSERT_TRUE(fitted && shipped);
      double worst = 0;
      for (const TimedRow& r : all[i].rows) worst = std::max(worst, std::abs(shipped->seconds(r) / fitted->seconds(r) - 1));
      EXPECT_LE(worst, kRounding);
    }
  }
}

TEST(ShippedCurves, OfCollectivesAreTheFitsMadeToRiseWithBytes) {
  const KernelKinds kinds;
  DeviceMachines machines(kData);
  const auto is = [](std::string_view wanted) { return [wanted](const std::string& s) { return s == wanted; }; };
  const KernelTable& table = *kinds.all().at("nccl");
  const KernelFiles files = read_kernel_files(kData / "validate" / "kernels" / "tables", kinds, machines, is("nccl"), is("h100_sxm"));
  ASSERT_EQ(files.tables.size(), 1U);
  const std::vector<TimedSeries>& all = files.tables.front().series;
  int series = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].device != "h100_sxm") continue;
    SCOPED_TRACE(all[i].kernel);
    ++series;
    const auto fitted = table.fit(all, i, *machines.find("h100_sxm"), [](const TimedRow&) { return true; }), shipped = table.shipped(*machines.whole("h100_sxm"), all[i]);
    ASSERT_TRUE(fitted && shipped);
    double sum = 0;
    for (const TimedRow& r : all[i].rows) sum += std::abs(shipped->seconds(r) / fitted->seconds(r) - 1);
    EXPECT_LE(sum / static_cast<double>(all[i].rows.size()), 0.025);   // all-to-all is timed with the most dents
  }
  EXPECT_EQ(series, 4);
}

}  // namespace
}  // namespace moesim
