// Causal attention of whole sequences: batch, seq, heads, kv_heads, head_dim.
#include "calibration/kernel_tables/prefill_rows.h"

namespace moesim {
namespace {

class AttentionTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "attn_dtype", "kv_dtype", "batch", "seq", "heads", "kv_heads", "head_dim", "latency_us"};
  }

  std::vector<TimedSeries> series(const CsvTable& t, std::string_view device, const HwProfile& hw) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      TimedSeries& s = series_named(out, {std::string(device), "attention", cells.text("framework"), cells.text("kernel"),
                                          cells.text("attn_dtype") + ", kv " + cells.text("kv_dtype"), {}});
      s.rows.push_back(timed(cells, model));
    }
    return out;
  }

  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw, const Seen& seen) const override {
    return fit_prefill_rows(all[which], hw, seen);
  }

 private:
  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    PrefillCase c;
    c.batch = cells.integer("batch");
    c.seq = cells.integer("seq");
    c.heads = cells.integer("heads");
    c.kv_heads = cells.integer("kv_heads", c.heads);
    c.qk_dim = c.v_dim = cells.integer("head_dim");
    return prefill_row(c, heads_text(c.heads, c.kv_heads, c.qk_dim), cells.seconds(), model);
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_attention_table() { return std::make_unique<AttentionTable>(); }

}  // namespace moesim
