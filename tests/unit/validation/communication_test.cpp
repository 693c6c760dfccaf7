// The shipped tables of collectives against their fits: sizes and whole curves that a fit never saw.
#include <gtest/gtest.h>

#include "validation/kernels.h"

namespace moesim {
namespace {

struct Mean {
  double sum = 0;
  std::int64_t rows = 0;
  void add(const ErrorStats& e) {
    sum += e.mean * static_cast<double>(e.rows);
    rows += e.rows;
  }
  double value() const { return sum / static_cast<double>(rows); }
};

/// Of one device of a table, or of all with "": sizes left out, curves left out, and the formula alone.
struct Means {
  Mean sizes, curves, form;
};

Means means(const std::string& table, const std::string& framework, const std::string& device = "") {
  Means out;
  for (const SeriesScore& s : validate_kernels(MOESIM_SOURCE_DIR, {"", device, table}).scores) {
    if (s.framework != framework) continue;
    out.sizes.add(s.left_out_sizes.value_or(ErrorStats{}));
    out.curves.add(s.left_out);
    out.form.add(s.closed_form);
  }
  return out;
}

TEST(Communication, NcclOnOneNodeIsPredictedForSizesAndCurvesThatWereLeftOut) {
  for (const char* device : {"a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm", "gb200"}) {
    const Means m = means("nccl", "nccl", device);
    EXPECT_GT(m.curves.rows, 200) << device;
    EXPECT_LT(m.sizes.value(), 0.06) << device;
    EXPECT_LT(m.curves.value(), 0.08) << device;
    EXPECT_LT(m.curves.value(), m.form.value() / 2) << device;
  }
}

TEST(Communication, NcclOverNodesIsPredictedForSizesAndNodesThatWereLeftOut) {
  const Means m = means("nccl_multinode", "nccl");
  EXPECT_EQ(m.curves.rows, 92);
  EXPECT_LT(m.sizes.value(), 0.06);
  EXPECT_LT(m.curves.value(), 0.07);
  EXPECT_LT(m.curves.value(), m.form.value() / 2);
}

TEST(Communication, AlpsIsPredictedForSizesThatWereLeftOut) {
  EXPECT_LT(means("alps", "nccl").sizes.value(), 0.08);
  EXPECT_LT(means("alps", "osu").sizes.value(), 0.05);
  EXPECT_LT(means("alps", "nvshmem").sizes.value(), 0.03);
}

TEST(Communication, FusedAllReduceIsPredictedForSizesThatWereLeftOut) {
  for (const char* framework : {"trtllm", "vllm"}) {
    const Means m = means("custom_allreduce", framework);
    EXPECT_LT(m.sizes.value(), 0.08) << framework;
    EXPECT_LT(m.curves.value(), 0.23) << framework;
    EXPECT_LT(m.curves.value(), m.form.value() / 2) << framework;
  }
}

}  // namespace
}  // namespace moesim
