// Causal attention of whole sequences: batch, seq, heads, kv_heads, head_dim.
#include "calibration/kernel_tables/rows.h"
#include "calibration/surface_fit.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

class AttentionTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "attn_dtype", "kv_dtype", "batch", "seq", "heads", "kv_heads", "head_dim", "latency_us"};
  }

  std::vector<double> scale() const override { return {1, 0.6, 0.6, 0.3, 1, 0.6}; }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    const std::size_t system = t.column("system");
    std::vector<TimedSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device) continue;
      const TableRow cells(t, row);
      TimedSeries& s = series_named(out, {std::string(device), "attention", cells.text("framework"), cells.text("kernel"),
                                          cells.text("attn_dtype") + ", kv " + cells.text("kv_dtype"), {}});
      s.rows.push_back(timed(cells, model));
    }
    return out;
  }

 private:
  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    Op op;
    op.kind = OpKind::attention;
    op.groups = cells.integer("batch");
    op.seq = cells.integer("seq");
    op.heads = cells.integer("heads");
    op.kv_heads = cells.integer("kv_heads");
    op.qk_dim = op.v_dim = cells.integer("head_dim");
    TimedRow out;
    const double seq = log2_of(op.seq), batch = log2_of(op.groups), heads = log2_of(op.heads);
    out.shape = std::to_string(op.heads) + " heads, " + std::to_string(op.kv_heads) + " kv heads of " + std::to_string(op.qk_dim);
    out.at = {seq, batch, heads, log2_of(op.kv_heads), log2_of(op.qk_dim), batch + heads + seq};
    out.seconds = cells.seconds();
    out.closed_form = seconds(model.cost(op).time);
    add_work(out, op);
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_attention_table() { return std::make_unique<AttentionTable>(); }

}  // namespace moesim
