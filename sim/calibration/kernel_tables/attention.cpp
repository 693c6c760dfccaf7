// Causal attention of whole sequences: batch, seq, heads, kv_heads, head_dim.
#include "calibration/kernel_tables.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

class AttentionTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "attn_dtype", "kv_dtype", "batch", "seq", "heads", "kv_heads", "head_dim", "latency_us"};
  }

  std::vector<SurfaceSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst);
    const auto column = [&](std::string_view name) { return t.column(name); };
    const std::size_t system = column("system"), us = column("latency_us");
    std::vector<SurfaceSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device) continue;
      Op op;
      op.kind = OpKind::attention;
      op.groups = t.integer(row, column("batch"));
      op.seq = t.integer(row, column("seq"));
      op.heads = t.integer(row, column("heads"));
      op.kv_heads = t.integer(row, column("kv_heads"));
      op.qk_dim = op.v_dim = t.integer(row, column("head_dim"));
      const auto text = [&](std::string_view name) { return std::string(t.text(row, column(name))); };
      SurfaceSeries& s = series_named(out, {std::string(device), "attention", text("framework") + " " + text("kernel"),
                                            text("attn_dtype") + ", kv " + text("kv_dtype"), {1, 0.6, 0.6, 0.3, 1, 0.6}, {}});
      const double seq = static_cast<double>(op.seq), batch = static_cast<double>(op.groups), heads = static_cast<double>(op.heads);
      s.points.push_back({{log2_of(seq), log2_of(batch), log2_of(heads), log2_of(static_cast<double>(op.kv_heads)), log2_of(static_cast<double>(op.qk_dim)),
                           log2_of(batch * heads * seq)},
                          seconds(model.cost(op).time), seconds_in(t, row, us),
                          text("heads") + " heads, " + text("kv_heads") + " kv heads of " + text("head_dim")});
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_attention_table() { return std::make_unique<AttentionTable>(); }

}  // namespace moesim
