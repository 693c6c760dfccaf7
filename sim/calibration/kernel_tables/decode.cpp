// Attention of one new token a sequence over cached keys and values: batch, kv_len, heads, kv_heads, head_dim.
#include <optional>

#include "calibration/kernel_tables/decode_rows.h"

namespace moesim {
namespace {

class DecodeTable : public FormTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "kv_dtype", "batch", "kv_len", "heads", "kv_heads", "head_dim", "latency_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::optional<DType> kv = dtype_of(cells.format("kv_dtype"));
      if (!kv) {
        unanswered.add(cells.unknown_format("kv_dtype"));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "decode", cells.text("framework"), cells.text("kernel"), "kv " + cells.format("kv_dtype"), {}});
      s.rows.push_back(timed(cells, *kv, hw));
    }
    return out;
  }

 private:
  std::string kind(const TimedSeries&) const override { return "decode"; }
  std::optional<MeasuredForm> fitted(const TimedSeries& s, const HwProfile& hw, const Seen& seen) const override { return fit_decode_rows(s, hw, seen); }
  std::unique_ptr<KernelModel> model(const MeasuredForm& f, const TimedSeries&, const HwProfile& hw) const override { return std::make_unique<DecodeModel>(f, hw); }

  static TimedRow timed(const TableRow& cells, DType kv, const HwProfile& hw) {
    DecodeCase op;
    op.batch = cells.integer("batch");
    op.kv_len = cells.integer("kv_len");
    op.heads = cells.integer("heads");
    op.kv_heads = cells.integer("kv_heads", op.heads);
    op.head_dim = cells.integer("head_dim");
    op.kv = kv;
    return decode_row(op, heads_text(op.heads, op.kv_heads, op.head_dim), cells.seconds(), hw);
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_decode_table() { return std::make_unique<DecodeTable>(); }

}  // namespace moesim
