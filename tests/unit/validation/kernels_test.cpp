#include "validation/kernels.h"

#include <gtest/gtest.h>

#include <set>

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

// One test, because fitting each table without each shape takes seconds. The bounds are those that the product promises for shapes that a fit
// never saw, in percent.
struct Bound {
  double median, mean;
};

// What is promised of each device; the larger ones are of series whose times depend on a choice of the library that no shape tells.
Bound bound(const DeviceScore& d) {
  const bool blackwell = d.device == "b200_sxm" || d.device == "gb200";
  if (d.table == "gemm") return {0.045, 0.07};
  if (d.table == "moe") return blackwell ? Bound{0.092, 0.14} : Bound{0.08, 0.14};   // nvfp4: one of two kernels for each model and EP
  if (d.table == "quantize") return {0.04, 0.06};
  return {0.04, 0.08};   // attention, decode, mla
}

TEST(ShippedKernelTables, AreWithinTheirBoundsOnShapesLeftOut) {
  const KernelReport r = validate_kernels(kData);
  int devices = 0;
  for (const DeviceScore& d : device_scores(r)) {
    if (!std::set<std::string>{"gemm", "attention", "decode", "mla", "moe", "quantize"}.contains(d.table)) continue;
    SCOPED_TRACE(d.table + ", " + d.device);
    ++devices;
    EXPECT_LE(d.left_out.median, bound(d).median);
    EXPECT_LE(d.left_out.mean, bound(d).mean);
    double ours = 0, roofline = 0;
    for (const SeriesScore& s : r.scores)
      if (s.table == d.table && s.device == d.device && s.left_out.rows > 0) {
        ours += s.left_out.mean * static_cast<double>(s.left_out.rows);
        roofline += s.baseline->mean * static_cast<double>(s.baseline->rows);
      }
    EXPECT_LT(ours, roofline);
  }
  EXPECT_EQ(devices, 6 + 5 + 5 + 5 + 5 + 4);
  EXPECT_EQ(r.cliffs.size(), 24U);
  EXPECT_TRUE(r.skipped.empty());
}

}  // namespace
}  // namespace moesim
