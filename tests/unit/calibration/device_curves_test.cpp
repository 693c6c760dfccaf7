#include "calibration/device_curves.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "cost/closed_form.h"
#include "cost/gemm_curve.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

HwProfile h100() { return load_hw_profile("dgx-h100", kData, Curves::left); }

double form(DType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  Op op;
  op.kind = OpKind::gemm, op.dtype = type, op.m = m, op.n = n, op.k = k;
  return closed_form_seconds(kernel_numbers(h100(), Clocks::burst), op);
}

/// Multiplications that take 1.2 times the closed form; FP8 ones after a quantisation of 5 bytes an element at 1 TB/s.
CsvTable gemms() {
  std::string text = "# source: a test\n# licence: none\nsystem,framework,kernel,dtype,m,n,k,latency_us\n";
  for (const std::int64_t m : {1024, 8192})
    for (const std::int64_t n : {512, 16384})
      for (const std::int64_t k : {2048, 8192}) {
        const std::string shape = std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + ",";
        const double quantised = 5e-12 * static_cast<double>(m * k);
        text += "h100_sxm,trt,torch_flow,bfloat16," + shape + std::to_string(1.2e6 * form(DType::bf16, m, n, k)) + "\n";
        text += "h100_sxm,trt,torch_flow,fp8," + shape + std::to_string(1e6 * (form(DType::fp8, m, n, k) + quantised)) + "\n";
      }
  return CsvTable::parse(text, "gemm.csv");
}

CurveChoice choice() { return {{{"bf16", {"torch_flow, bfloat16"}}, {"fp8", {"torch_flow, fp8"}}}, {}}; }

TEST(DeviceCurves, TakesTheChosenSeriesOfTheDeviceWithItsSource) {
  const std::vector<CsvTable> tables{gemms()};
  const MeasuredCurves c = fit_curves(tables, choice(), "h100_sxm", h100());
  ASSERT_TRUE(c.gemm("bf16"));
  EXPECT_NEAR(c.gemm("bf16")->seconds.back(), 1.2 * form(DType::bf16, 8192, 16384, 8192), 1e-9);
  EXPECT_EQ(c.sources, (std::vector<std::string>{"a test; none"}));
  EXPECT_TRUE(fit_curves(tables, choice(), "a100_sxm", h100()).gemms.empty());
}

TEST(DeviceCurves, HoldNarrowMultiplicationsAsTimedAndTrainRunsThemWithoutTheirQuantisation) {
  const std::vector<CsvTable> tables{gemms()};
  const MeasuredCurves c = fit_curves(tables, choice(), "h100_sxm", h100());
  const KernelNumbers numbers = kernel_numbers(h100(), Clocks::burst);
  Op op;
  op.kind = OpKind::gemm, op.dtype = DType::fp8;
  const GemmCurve alone(*c.gemm("fp8"), numbers, numbers, op, true), timed(*c.gemm("fp8"), numbers, numbers, op, true, Quantisation::counted);
  for (const std::int64_t m : {1024, 8192})
    for (const std::int64_t n : {512, 16384})
      for (const std::int64_t k : {2048, 8192}) {
        EXPECT_NEAR(alone.at({m, n, k}).seconds / form(DType::fp8, m, n, k), 1, 1e-3) << m << " " << n << " " << k;
        EXPECT_NEAR(timed.at({m, n, k}).seconds / (form(DType::fp8, m, n, k) + 5e-12 * static_cast<double>(m * k)), 1, 1e-3) << m << " " << n << " " << k;
      }
}

TEST(DeviceCurves, AFileReadAgainGivesTheSameFile) {
  const std::vector<CsvTable> tables{gemms()};
  const std::string text = to_text(fit_curves(tables, choice(), "h100_sxm", h100()));
  EXPECT_EQ(to_text(read_measured_curves(Document::parse(text, "h100_sxm.json"))), text);
}

TEST(DeviceCurves, ShippedCurvesAreWithinTheirTimings) {
  // The cuBLAS row that facts quote: H200, m 8192, n 4096, k 7168 at 795 TFLOP/s.
  const HwProfile h200 = load_hw_profile("dgx-h200", kData);
  ASSERT_NE(h200.measured.curves, nullptr);
  ASSERT_NE(h200.measured.curves->gemm("bf16"), nullptr);
  const MeasuredGemm& g = *h200.measured.curves->gemm("bf16");
  const auto at = [](const std::vector<std::int64_t>& axis, std::int64_t x) { return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), x) - axis.begin()); };
  const double t = g.seconds[(at(g.m, 8192) * g.n.size() + at(g.n, 4096)) * g.k.size() + at(g.k, 7168)];
  EXPECT_NEAR(2.0 * 8192 * 4096 * 7168 / t * 1e-12, 795, 8);
}

}  // namespace
}  // namespace moesim
