// Latent attention (DeepSeek: latent 512, rotary 64, heads of 128 + 64 and 128): phase, heads of a rank, batch, sequence.
#include "calibration/kernel_tables/rows.h"
#include "calibration/surface_fit.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

class MlaTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "phase", "mla_dtype", "kv_dtype", "heads", "batch", "seq_or_kv_len", "latency_us"};
  }

  std::vector<double> scale() const override { return {1, 0.6, 0.6, 0.6}; }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    const std::size_t system = t.column("system"), phase = t.column("phase");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device || t.text(row, phase) != "context") continue;
      const TableRow cells(t, row);
      TimedSeries& s = series_named(out, {std::string(device), "mla", cells.text("framework"), "context",
                                          cells.text("mla_dtype") + ", kv " + cells.text("kv_dtype"), {}});
      s.rows.push_back(timed(cells, model));
    }
    return out;
  }

 private:
  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    Op op;
    op.kind = OpKind::attention;
    op.groups = cells.integer("batch");
    op.seq = cells.integer("seq_or_kv_len");
    op.heads = op.kv_heads = cells.integer("heads");
    op.qk_dim = 192, op.v_dim = 128;
    TimedRow out;
    const double seq = log2_of(op.seq), batch = log2_of(op.groups), heads = log2_of(op.heads);
    out.shape = std::to_string(op.heads) + " heads";
    out.at = {seq, batch, heads, batch + heads + seq};
    out.seconds = cells.seconds();
    out.closed_form = seconds(model.cost(op).time);
    add_work(out, op);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_mla_table() { return std::make_unique<MlaTable>(); }

}  // namespace moesim
