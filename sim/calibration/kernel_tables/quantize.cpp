// Scales (read m x k bf16) and casts (read m x k bf16, write fp8).
#include "calibration/kernel_tables.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

class QuantizeTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "op", "m", "k", "latency_us", "GBps"}; }

  std::vector<SurfaceSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst);
    const auto column = [&](std::string_view name) { return t.column(name); };
    const std::size_t system = column("system"), us = column("latency_us");
    std::vector<SurfaceSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device) continue;
      const std::int64_t m = t.integer(row, column("m")), k = t.integer(row, column("k"));
      const auto text = [&](std::string_view name) { return std::string(t.text(row, column(name))); };
      Op op;
      op.kind = OpKind::cast;
      op.traffic = Bytes{m * k * (text("op") == "compute_scale" ? 2 : 3)};
      SurfaceSeries& s = series_named(out, {std::string(device), "quantize", text("framework") + " " + text("op"), "bf16 to fp8", {1, 1}, {}});
      s.points.push_back({{log2_of(static_cast<double>(m)), log2_of(static_cast<double>(k))}, seconds(model.cost(op).time), seconds_in(t, row, us),
                          "k " + text("k")});
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_quantize_table() { return std::make_unique<QuantizeTable>(); }

}  // namespace moesim
