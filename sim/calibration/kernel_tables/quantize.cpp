// Scales (read m x k bf16) and casts (read m x k bf16, write fp8).
#include "calibration/kernel_tables/forms.h"
#include "calibration/kernel_tables/rows.h"
#include "cost/closed_form.h"
#include "cost/quantize.h"

namespace moesim {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;   // of rows and columns: their product must be a number of bytes

QuantizeCase case_of(const TimedRow& r) { return {static_cast<std::int64_t>(r.at[0]), static_cast<std::int64_t>(r.at[1])}; }

double element_bytes(std::string_view op) { return op == "compute_scale" ? 2 : 3; }

class QuantizeModel : public KernelModel {
 public:
  QuantizeModel(const MeasuredForm& f, const HwProfile& hw) : curve_(f, kernel_numbers(hw, Clocks::burst), true) {}
  double seconds(const TimedRow& r) const override { return curve_.at(case_of(r)).seconds; }

 private:
  QuantizeCurve curve_;
};

class QuantizeTable : public FormTable {
 public:
  std::vector<std::string_view> columns() const override { return {"system", "framework", "op", "m", "k", "latency_us"}; }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    const KernelNumbers numbers = kernel_numbers(hw, Clocks::burst);
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string what = cells.text("op");
      if (what != "compute_scale" && what != "scale_matrix") {
        unanswered.add(cells.unknown("op", "compute_scale and scale_matrix"));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "quantize", cells.text("framework"), what, "bf16 to fp8", {}});
      s.rows.push_back(timed(cells, element_bytes(what), numbers));
    }
    return out;
  }

 private:
  static TimedRow timed(const TableRow& cells, double bytes, const KernelNumbers& numbers) {
    const std::int64_t m = cells.integer("m", kMost), k = cells.integer("k", kMost);
    TimedRow out;
    out.shape = "k " + std::to_string(k);
    out.at = {static_cast<double>(m), static_cast<double>(k)};
    out.seconds = cells.seconds();
    out.closed_form = quantize_seconds(numbers, bytes, {m, k});
    out.bytes = bytes * out.at[0] * out.at[1];
    return out;
  }

  std::string kind(const TimedSeries&) const override { return "quantize"; }
  std::optional<MeasuredForm> fitted(const TimedSeries& s, const HwProfile&, const Seen& seen) const override {
    MeasuredForm out;
    out.constants = {element_bytes(s.kernel)};
    for (const TimedRow& r : s.rows) {
      if (!seen(r)) continue;
      const QuantizeCase c = case_of(r);
      out.sizes.insert(out.sizes.end(), {c.rows, c.columns});
      out.log_ratio.push_back(portable_log(r.seconds / r.closed_form));
    }
    if (out.log_ratio.empty()) return std::nullopt;
    return out;
  }
  std::unique_ptr<KernelModel> model(const MeasuredForm& f, const TimedSeries&, const HwProfile& hw) const override { return std::make_unique<QuantizeModel>(f, hw); }
};

}  // namespace

std::unique_ptr<KernelTable> make_quantize_table() { return std::make_unique<QuantizeTable>(); }

}  // namespace moesim
