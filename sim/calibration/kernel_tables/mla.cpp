// Latent attention (DeepSeek: latent 512, rotary 64, heads of 128 + 64 and 128): phase, heads of a rank, batch, sequence.
#include "calibration/kernel_tables.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

class MlaTable : public SurfaceTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "phase", "mla_dtype", "kv_dtype", "heads", "batch", "seq_or_kv_len", "latency_us"};
  }

  std::vector<SurfaceSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst);
    const auto column = [&](std::string_view name) { return t.column(name); };
    const std::size_t system = column("system"), phase = column("phase"), us = column("latency_us");
    std::vector<SurfaceSeries> out;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      if (t.text(row, system) != device || t.text(row, phase) != "context") continue;
      Op op;
      op.kind = OpKind::attention;
      op.groups = t.integer(row, column("batch"));
      op.seq = t.integer(row, column("seq_or_kv_len"));
      op.heads = op.kv_heads = t.integer(row, column("heads"));
      op.qk_dim = 192, op.v_dim = 128;
      const auto text = [&](std::string_view name) { return std::string(t.text(row, column(name))); };
      SurfaceSeries& s = series_named(out, {std::string(device), "mla", text("framework") + " context",
                                            text("mla_dtype") + ", kv " + text("kv_dtype"), {1, 0.6, 0.6, 0.6}, {}});
      const double seq = static_cast<double>(op.seq), batch = static_cast<double>(op.groups), heads = static_cast<double>(op.heads);
      s.points.push_back({{log2_of(seq), log2_of(batch), log2_of(heads), log2_of(batch * heads * seq)},
                          seconds(model.cost(op).time), seconds_in(t, row, us), text("heads") + " heads"});
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_mla_table() { return std::make_unique<MlaTable>(); }

}  // namespace moesim
