#include "calibration/gemm_table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "calibration/kernel_tables.h"
#include "calibration/words.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

std::vector<double> errors_of(const GemmGrid& grid, const GemmForm& form, std::span<const GemmTiming> timings) {
  std::vector<double> out;
  for (const GemmTiming& t : timings) out.push_back(gemm_seconds(grid, form, t.shape) / t.seconds - 1);
  return out;
}

/// Errors of each (n, k) by a grid fitted to the others.
std::vector<double> left_out_errors(const GemmSeries& s, const GemmForm& form) {
  std::set<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const GemmTiming& t : s.timings) shapes.insert({t.shape.n, t.shape.k});
  std::vector<double> out;
  if (shapes.size() < 2) return out;
  for (const auto& [n, k] : shapes) {
    std::vector<GemmTiming> seen, left;
    for (const GemmTiming& t : s.timings) (t.shape.n == n && t.shape.k == k ? left : seen).push_back(t);
    const std::vector<double> errors = errors_of(fit_gemm_grid(seen, form), form, left);
    out.insert(out.end(), errors.begin(), errors.end());
  }
  return out;
}

}  // namespace

std::vector<GemmSeries> gemm_series(const CsvTable& t) {
  const std::size_t system = t.column("system"), framework = t.column("framework"), kernel = t.column("kernel"), dtype = t.column("dtype");
  const std::size_t m = t.column("m"), n = t.column("n"), k = t.column("k"), us = t.column("latency_us");
  std::vector<GemmSeries> out;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    const std::optional<DType> type = dtype_of(t.text(row, dtype));
    if (!type) continue;
    GemmSeries key{std::string(t.text(row, system)), std::string(t.text(row, framework)) + " " + std::string(t.text(row, kernel)),
                   std::string(t.text(row, dtype)), *type, {}};
    auto found = std::find_if(out.rbegin(), out.rend(),
                              [&](const GemmSeries& s) { return s.device == key.device && s.kernel == key.kernel && s.format == key.format; });
    GemmSeries& series = found == out.rend() ? out.emplace_back(std::move(key)) : *found;
    constexpr NumberRange kMicroseconds{1e-3, 1e9};
    series.timings.push_back({{t.integer(row, m), t.integer(row, n), t.integer(row, k)}, t.number(row, us, kMicroseconds) * 1e-6});
  }
  return out;
}

GemmForm gemm_form(const HwProfile& hw, DType dtype) {
  return [model = std::make_shared<const CostModel>(hw, Clocks::burst), dtype](GemmShape s) {
    Op op;
    op.kind = OpKind::gemm;
    op.dtype = dtype;
    op.m = s.m, op.n = s.n, op.k = s.k;
    return seconds(model->cost(op).time);
  };
}

SeriesScore score(const GemmSeries& s, const GemmForm& form) {
  SeriesScore out{s.device, "gemm", s.kernel, s.format, {}, {}, {}};
  out.used = error_stats(errors_of(fit_gemm_grid(s.timings, form), form, s.timings));
  out.left_out = error_stats(left_out_errors(s, form));
  std::vector<double> alone;
  for (const GemmTiming& t : s.timings) alone.push_back(form(t.shape) / t.seconds - 1);
  out.roofline = error_stats(alone);
  return out;
}

namespace {

class GemmTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "kernel", "dtype", "m", "n", "k", "latency_us"}; }

  std::vector<SeriesScore> scores(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    std::vector<SeriesScore> out;
    for (const GemmSeries& s : gemm_series(t))
      if (s.device == device && hw.gpu.peak.contains(s.dtype)) out.push_back(score(s, gemm_form(hw, s.dtype)));
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_gemm_table() { return std::make_unique<GemmTable>(); }

}  // namespace moesim
