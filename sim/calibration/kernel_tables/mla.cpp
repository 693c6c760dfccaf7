// Latent attention (DeepSeek: latent 512, rotary 64, heads of 128 + 64 and 128): phase (context: whole sequences; decode: one new token), heads of a
// rank, batch, sequence.
#include <optional>

#include "calibration/kernel_tables/decode_rows.h"
#include "calibration/kernel_tables/prefill_rows.h"

namespace moesim {
namespace {

class MlaTable : public FormTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "phase", "mla_dtype", "kv_dtype", "heads", "batch", "seq_or_kv_len", "latency_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const CostModel model(hw, Clocks::burst, Kernels::closed_form);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string phase = cells.text("phase");
      const std::optional<DType> kv = dtype_of(cells.format("kv_dtype"));
      if (!kv || !dtype_of(cells.format("mla_dtype")) || (phase != "context" && phase != "decode")) {
        unanswered.add(phase != "context" && phase != "decode" ? cells.unknown("phase", "context and decode") : cells.unknown_format(kv ? "mla_dtype" : "kv_dtype"));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "mla", cells.text("framework"), phase,
                                          cells.format("mla_dtype") + ", kv " + cells.format("kv_dtype"), {}});
      s.rows.push_back(phase == "decode" ? decoded(cells, *kv, hw) : timed(cells, model));
    }
    return out;
  }

 private:
  static bool decodes(const TimedSeries& s) { return s.kernel == "decode"; }
  std::string kind(const TimedSeries& s) const override { return decodes(s) ? "mla_decode" : "mla_context"; }
  std::optional<MeasuredForm> fitted(const TimedSeries& s, const HwProfile& hw, const Seen& seen) const override {
    return decodes(s) ? fit_decode_rows(s, hw, seen) : fit_prefill_rows(s, hw, seen);
  }
  std::unique_ptr<KernelModel> model(const MeasuredForm& f, const TimedSeries& s, const HwProfile& hw) const override {
    if (decodes(s)) return std::make_unique<DecodeModel>(f, hw);
    return std::make_unique<PrefillModel>(f, hw);
  }

  static TimedRow decoded(const TableRow& cells, DType kv, const HwProfile& hw) {
    DecodeCase op;
    op.batch = cells.integer("batch");
    op.kv_len = cells.integer("seq_or_kv_len");
    op.heads = cells.integer("heads");
    op.latent = 512, op.rope = 64;
    op.kv = kv;
    return decode_row(op, std::to_string(op.heads) + " heads", cells.seconds(), hw);
  }

  static TimedRow timed(const TableRow& cells, const CostModel& model) {
    Op op;
    op.kind = OpKind::attention;
    op.groups = cells.integer("batch"), op.seq = cells.integer("seq_or_kv_len");
    op.heads = op.kv_heads = cells.integer("heads");
    op.qk_dim = 192, op.v_dim = 128;
    return prefill_row(op, std::to_string(op.heads) + " heads", cells.seconds(), model);
  }
};

}  // namespace

std::unique_ptr<KernelTable> make_mla_table() { return std::make_unique<MlaTable>(); }

}  // namespace moesim
