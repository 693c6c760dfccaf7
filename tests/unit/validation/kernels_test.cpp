#include "validation/kernels.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

// One test, because fitting each table without each shape takes seconds. The bounds are those that the product promises for shapes that a fit
// never saw, in percent.
TEST(ShippedKernelTables, AreWithinTheirBoundsOnShapesLeftOut) {
  const KernelReport r = validate_kernels(kData);
  int gemm = 0, attention = 0, quantize = 0;
  for (const SeriesScore& s : r.scores) {
    SCOPED_TRACE(s.table + ", " + s.device + ", " + s.kernel + ", " + s.format);
    if (s.left_out.rows == 0) continue;
    if (s.table == "gemm") {
      ++gemm;
      EXPECT_LE(s.left_out.median, 0.06);
      EXPECT_LE(s.left_out.mean, 0.10);
      EXPECT_LT(s.left_out.mean, s.closed_form.mean);
    } else if (s.table == "quantize") {
      ++quantize;
      EXPECT_LE(s.left_out.median, 0.10);
      EXPECT_LT(s.left_out.mean, s.closed_form.mean);
    } else if (s.table == "attention" || s.table == "mla") {
      ++attention;
      // One back end with FP8 keys and values misses the 7 % of the others.
      EXPECT_LE(s.left_out.median, s.kernel.find("flashinfer") != std::string::npos && s.format == "bfloat16, kv fp8" ? 0.085 : 0.07);
      EXPECT_LT(s.left_out.mean, s.closed_form.mean);
    }
  }
  EXPECT_EQ(gemm, 24);
  EXPECT_EQ(attention, 32);
  EXPECT_EQ(quantize, 8);
  EXPECT_TRUE(r.skipped.empty());
}

}  // namespace
}  // namespace moesim
