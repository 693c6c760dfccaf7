// Scales (read m x k bf16) and casts (read m x k bf16, write fp8).
#include "calibration/kernel_tables/rows.h"
#include "calibration/surface_fit.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;   // of rows and columns: their product must be a number of bytes

class QuantizeTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "op", "m", "k", "latency_us"}; }

  std::vector<double> scale() const override { return {1, 1}; }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string what = cells.text("op");
      if (what != "compute_scale" && what != "scale_matrix") continue;
      TimedSeries& s = series_named(out, {std::string(device), "quantize", cells.text("framework"), what, "bf16 to fp8", {}});
      s.rows.push_back(timed(cells, model));
    }
    return out;
  }

 private:
  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    const std::int64_t m = cells.integer("m", kMost), k = cells.integer("k", kMost);
    Op op;
    op.kind = OpKind::cast;
    op.traffic = Bytes{m * k * (cells.text("op") == "compute_scale" ? 2 : 3)};
    TimedRow out;
    out.shape = "k " + std::to_string(k);
    out.at = {log2_of(m), log2_of(k)};
    out.seconds = cells.seconds();
    out.closed_form = seconds(model.cost(op).time);
    add_work(out, op);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_quantize_table() { return std::make_unique<QuantizeTable>(); }

}  // namespace moesim
