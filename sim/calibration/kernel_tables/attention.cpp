// Causal attention of whole sequences: batch, seq, heads, kv_heads, head_dim.
#include "calibration/kernel_tables/prefill_rows.h"

namespace moesim {
namespace {

class AttentionTable : public FormTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "attn_dtype", "kv_dtype", "batch", "seq", "heads", "kv_heads", "head_dim", "latency_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string_view strange = !dtype_of(cells.format("attn_dtype")) ? "attn_dtype" : !dtype_of(cells.format("kv_dtype")) ? "kv_dtype" : "";
      if (!strange.empty()) {
        unanswered.add(cells.unknown_format(strange));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "attention", cells.text("framework"), cells.text("kernel"),
                                          cells.format("attn_dtype") + ", kv " + cells.format("kv_dtype"), {}});
      s.rows.push_back(timed(cells, model));
    }
    return out;
  }

 private:
  std::string kind(const TimedSeries&) const override { return "attention"; }
  std::optional<MeasuredForm> fitted(const TimedSeries& s, const HwProfile& hw, const Seen& seen) const override { return fit_prefill_rows(s, hw, seen); }
  std::unique_ptr<KernelModel> model(const MeasuredForm& f, const TimedSeries&, const HwProfile& hw) const override { return std::make_unique<PrefillModel>(f, hw); }

  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    Op op;
    op.kind = OpKind::attention;
    op.groups = cells.integer("batch"), op.seq = cells.integer("seq");
    op.heads = cells.integer("heads"), op.kv_heads = cells.integer("kv_heads", op.heads);
    op.qk_dim = op.v_dim = cells.integer("head_dim");
    return prefill_row(op, heads_text(op.heads, op.kv_heads, op.qk_dim), cells.seconds(), model);
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_attention_table() { return std::make_unique<AttentionTable>(); }

}  // namespace moesim
