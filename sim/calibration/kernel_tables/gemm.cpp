// Matrix multiplication y[m,n] = x[m,k] w[n,k]^T: m, n, k.
#include <optional>

#include "calibration/gemm_fit.h"
#include "calibration/gemm_form_fit.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

GemmShape shape_of(const TimedRow& r) {
  return {static_cast<std::int64_t>(r.at[0]), static_cast<std::int64_t>(r.at[1]), static_cast<std::int64_t>(r.at[2])};
}

class GemmModel : public KernelModel {
 public:
  GemmModel(GemmGrid grid, GemmForm form) : grid_(std::move(grid)), form_(std::move(form)) {}
  double seconds(const TimedRow& r) const override { return gemm_seconds(grid_, form_, shape_of(r)); }

 private:
  GemmGrid grid_;
  GemmForm form_;
};

class GemmTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "kernel", "dtype", "m", "n", "k", "latency_us"}; }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::optional<DType> type = dtype_of(cells.text("dtype"));
      if (!type || !hw.gpu.peak.contains(*type)) continue;
      TimedSeries& s = series_named(out, {std::string(device), "gemm", cells.text("framework"), cells.text("kernel"), cells.text("dtype"), {}});
      s.rows.push_back(timed(cells, *type));
    }
    for (TimedSeries& s : out) {
      const GemmForm form = gemm_form(hw, *dtype_of(s.format));
      for (TimedRow& r : s.rows) r.closed_form = form(shape_of(r));
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw, const Seen& seen) const override {
    const TimedSeries& s = all[which];
    std::vector<GemmTiming> timings;
    for (const TimedRow& r : s.rows)
      if (seen(r)) timings.push_back({shape_of(r), r.seconds});
    if (timings.empty()) return nullptr;
    const GemmForm form = fit_gemm_form(hw, *dtype_of(s.format), timings);
    return std::make_unique<GemmModel>(fit_gemm_grid(timings, form), form);
  }

 private:
  static TimedRow timed(const TableRow& cells, DType type) {
    Op op;
    op.kind = OpKind::gemm;
    op.dtype = type;
    op.m = cells.integer("m"), op.n = cells.integer("n"), op.k = cells.integer("k");
    TimedRow out;
    out.shape = "n " + std::to_string(op.n) + ", k " + std::to_string(op.k);
    out.at = {static_cast<double>(op.m), static_cast<double>(op.n), static_cast<double>(op.k)};
    out.seconds = cells.seconds();
    add_work(out, op);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_gemm_table() { return std::make_unique<GemmTable>(); }

}  // namespace moesim
