// Matrix multiplication y[m,n] = x[m,k] w[n,k]^T: m, n, k.
#include <optional>

#include "calibration/gemm_fit.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/closed_form.h"
#include "cost/gemm_curve.h"

namespace moesim {
namespace {

GemmShape shape_of(const TimedRow& r) {
  return {static_cast<std::int64_t>(r.at[0]), static_cast<std::int64_t>(r.at[1]), static_cast<std::int64_t>(r.at[2])};
}

KernelNumbers burst(const HwProfile& hw) { return kernel_numbers(hw, Clocks::burst); }

Op multiplication(DType type, GemmShape s) {
  Op op;
  op.kind = OpKind::gemm, op.dtype = type;
  op.m = s.m, op.n = s.n, op.k = s.k;
  return op;
}

/// As the tables time it: on its own device at burst clocks, with the quantisation of x.
class GemmModel : public KernelModel {
 public:
  GemmModel(const MeasuredGemm& g, DType type, const KernelNumbers& there, const KernelNumbers& here)
      : curve_(g, there, here, multiplication(type, {}), true, Quantisation::counted) {}
  double seconds(const TimedRow& r) const override { return curve_.at(shape_of(r)).seconds; }

 private:
  GemmCurve curve_;
};

class GemmTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "kernel", "dtype", "m", "n", "k", "latency_us"}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const KernelNumbers numbers = burst(hw);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string format = cells.format();
      const std::optional<DType> type = dtype_of(format);
      if (!type || !hw.gpu.peak.contains(*type)) {
        unanswered.add(type ? without_rate(format, hw) : cells.unknown_format());
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "gemm", cells.text("framework"), cells.text("kernel"), format, {}});
      s.rows.push_back(timed(cells, *type, numbers));
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw, const Seen& seen) const override {
    const std::optional<MeasuredGemm> found = fitted(all[which], hw, seen);
    if (!found) return nullptr;
    const KernelNumbers own = burst(hw);
    return std::make_unique<GemmModel>(*found, *dtype_of(found->format), own, own);
  }

  bool add_curve(MeasuredCurves& out, const TimedSeries& s, const HwProfile& hw) const override {
    std::optional<MeasuredGemm> found = fitted(s, hw, [](const TimedRow&) { return true; });
    if (found) out.gemms.push_back(std::move(*found));
    return found.has_value();
  }

  std::unique_ptr<KernelModel> shipped(const HwProfile& hw, const TimedSeries& names) const override {
    const MeasuredCurves* curves = hw.measured.curves.get();
    if (!curves || curves->device != names.device) return nullptr;
    for (const MeasuredGemm& g : curves->gemms)
      if (g.framework == names.framework && g.kernel == names.kernel && g.format == names.format) {
        const KernelNumbers here = burst(hw);
        return std::make_unique<GemmModel>(g, *dtype_of(g.format), curves->gpu == hw.gpu.name ? here : curves->closed_form, here);
      }
    return nullptr;
  }

 private:
  static std::optional<MeasuredGemm> fitted(const TimedSeries& s, const HwProfile& hw, const Seen& seen) {
    std::vector<GemmTiming> timings;
    for (const TimedRow& r : s.rows)
      if (seen(r)) timings.push_back({shape_of(r), r.seconds});
    if (timings.empty()) return std::nullopt;
    MeasuredGemm out = fit_gemm(burst(hw), *dtype_of(s.format), timings);
    out.framework = s.framework, out.kernel = s.kernel, out.format = s.format;
    return out;
  }

  static TimedRow timed(const TableRow& cells, DType type, const KernelNumbers& numbers) {
    const Op op = multiplication(type, {cells.integer("m"), cells.integer("n"), cells.integer("k")});
    TimedRow out;
    out.shape = "n " + std::to_string(op.n) + ", k " + std::to_string(op.k);
    out.at = {static_cast<double>(op.m), static_cast<double>(op.n), static_cast<double>(op.k)};
    out.seconds = cells.seconds();
    out.closed_form = closed_form_seconds(numbers, op);
    add_work(out, op);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_gemm_table() { return std::make_unique<GemmTable>(); }

}  // namespace moesim
