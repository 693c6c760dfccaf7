// One rank's MoE layer: routing, permutation, two grouped GEMMs, activation, unpermutation. `tokens` enter the whole group of `ep` ranks; the
// timed rank is the first, and with skewed load the heaviest.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "calibration/kernel_tables/forms.h"
#include "calibration/kernel_tables/rows.h"
#include "calibration/moe_draws.h"
#include "calibration/moe_fit.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

constexpr std::int64_t kMostTokens = 1 << 24, kWidest = 1 << 20, kMostExperts = 1 << 12;
constexpr double kDrawsOfARow = 5;   // that the collectors averaged

/// 0 for "balanced", 1.2 for "power_law_1.2"; none for other rules.
std::optional<double> alpha_of(std::string_view distribution) {
  constexpr std::string_view kPower = "power_law_";
  if (distribution == "balanced") return 0.0;
  if (!distribution.starts_with(kPower)) return std::nullopt;
  const std::string number(distribution.substr(kPower.size()));
  char* end = nullptr;
  const double out = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !(out > 0) || !(out < 10)) return std::nullopt;
  return out;
}

std::string model_of(const CsvTable& t, const TableRow& cells) { return t.has("model") ? cells.text("model") : ""; }

/// Why the facts of the table exclude a row; nullptr: they do not.
const char* excluded(const CsvTable& t, const TableRow& cells) {
  if (cells.text("kernel") == "sglang_fused_moe_triton" && cells.integer("ep") > 1) return "sglang_fused_moe_triton with ep above 1, whose time does not fall with ep";
  if (cells.text("framework").starts_with("trtllm") && model_of(t, cells).find("llama4-scout") != std::string::npos) return "llama4-scout by TensorRT-LLM, timed up to seven times off";
  return nullptr;
}

std::string why_not(const CsvTable& t, const TableRow& cells, const HwProfile& hw) {
  if (!dtype_of(cells.format())) return cells.unknown_format();
  if (!hw.gpu.peak.contains(*dtype_of(cells.format()))) return without_rate(cells.format(), hw);
  if (const char* why = excluded(t, cells)) return why;
  return cells.unknown("distribution", "balanced and power_law_NUMBER");
}

/// Kernels that route themselves were timed with DeepSeek's routing: this one in all shapes, SGLang's in DeepSeek's own.
MoeRouting routing_of(const CsvTable& t, const TableRow& cells) {
  const std::string kernel = cells.text("kernel");
  const bool grouped = kernel.ends_with("min_latency") || (kernel == "sglang_flashinfer_trtllm_moe" && model_of(t, cells).starts_with("deepseek"));
  return grouped ? MoeRouting::grouped : MoeRouting::dealt;
}

MoeShape shape_of(const TimedRow& r) { return {static_cast<std::int64_t>(r.at[0]), static_cast<std::int64_t>(r.at[1])}; }
double tokens_of(const TimedRow& r) { return r.at[2]; }
const MoeLoads& loads_of(const TimedRow& r) { return static_cast<const MoeLoads&>(*r.detail); }

class MoeModel : public KernelModel {
 public:
  explicit MoeModel(MoeLayerCurve curve) : curve_(std::move(curve)) {}

  double seconds(const TimedRow& r) const override { return moments(r).mean * curve_.ratio(shape_of(r), loads_of(r).mean, tokens_of(r)); }
  double chance(const TimedRow& r) const override {
    const Moments m = moments(r);
    return std::sqrt(m.variance / kDrawsOfARow) / m.mean;
  }

 private:
  struct Moments {
    double mean = 0, variance = 0;
  };
  Moments moments(const TimedRow& r) const {
    const std::vector<MoeLoad>& draws = loads_of(r).draws;
    double sum = 0, squares = 0;
    for (const MoeLoad& l : draws) {
      const double s = curve_.form().seconds(shape_of(r), l, tokens_of(r));
      sum += s;
      squares += s * s;
    }
    const auto n = static_cast<double>(draws.size());
    return {sum / n, std::max(squares / n - sum / n * (sum / n), 0.0)};
  }

  MoeLayerCurve curve_;
};

class MoeTable : public FormTable {
 public:
  std::vector<std::string_view> columns() const override {
    return {"system", "framework", "kernel", "hidden", "inter", "topk", "experts", "dtype", "ep", "distribution", "tokens", "latency_us"};
  }

  std::vector<TimedSeries> read(const CsvTable& t, std::string_view device, const HwProfile& hw, UnansweredRows& unanswered) const override {
    std::vector<TimedSeries> out;
    for (const TableRow& cells : rows_of(t, device)) {
      const std::string format = cells.format();
      const std::optional<DType> type = dtype_of(format);
      const std::optional<double> alpha = alpha_of(cells.text("distribution"));
      if (!type || !hw.gpu.peak.contains(*type) || !alpha || excluded(t, cells)) {
        unanswered.add(why_not(t, cells, hw));
        continue;
      }
      TimedSeries& s = series_named(out, {std::string(device), "moe", cells.text("framework"), cells.text("kernel"), format, {}});
      s.rows.push_back(timed(cells, deal_of(t, cells, *alpha), draws_));
      finish(s.rows.back(), MoeLayerForm(hw, *type, kUsualMoeConstants), *type);
    }
    return out;
  }

  std::string_view file_suffix() const override { return "-moe"; }

 private:
  std::shared_ptr<const MeasuredCurves> held(const HwProfile& hw) const override { return load_moe_curves(hw); }
  std::string kind(const TimedSeries&) const override { return "moe"; }
  std::optional<MeasuredForm> fitted(const TimedSeries& s, const HwProfile& hw, const Seen& seen) const override {
    std::vector<MoeTiming> timings;
    for (const TimedRow& r : s.rows)
      if (seen(r)) timings.push_back({shape_of(r), loads_of(r).mean, tokens_of(r), r.seconds});
    if (timings.empty()) return std::nullopt;
    return fit_moe_layer(hw, *dtype_of(s.format), timings);
  }
  std::unique_ptr<KernelModel> model(const MeasuredForm& f, const TimedSeries& names, const HwProfile& hw) const override {
    return std::make_unique<MoeModel>(MoeLayerCurve(f, hw, *dtype_of(names.format), true));
  }

  static MoeDeal deal_of(const CsvTable& t, const TableRow& cells, double alpha) {
    MoeDeal d;
    d.tokens = cells.integer("tokens", kMostTokens);
    d.experts = cells.integer("experts", kMostExperts);
    d.top_k = cells.integer("topk", std::min<std::int64_t>(d.experts, 64));
    d.ep = cells.integer("ep", d.experts);
    d.alpha = alpha;
    d.routing = routing_of(t, cells);
    return d;
  }

  static TimedRow timed(const TableRow& cells, const MoeDeal& d, MoeDraws& draws) {
    const std::int64_t h = cells.integer("hidden", kWidest), f = cells.integer("inter", kWidest);
    TimedRow out;
    out.shape = std::to_string(h) + " x " + std::to_string(f) + ", top " + std::to_string(d.top_k) + " of " + std::to_string(d.experts);
    for (const std::int64_t x : {h, f, d.tokens, d.top_k, d.experts, d.ep}) out.at.push_back(static_cast<double>(x));
    out.at.push_back(d.alpha);
    out.seconds = cells.seconds();
    out.detail = draws.loads(d);
    return out;
  }

  /// The closed form: what a layer usually does; and the work of balanced load, for the baseline.
  static void finish(TimedRow& r, const MoeLayerForm& usual, DType type) {
    r.closed_form = usual.seconds(shape_of(r), loads_of(r).mean, tokens_of(r));
    const double h = r.at[0], f = r.at[1], tokens = r.at[2], top_k = r.at[3], experts = r.at[4], ep = r.at[5];
    const double rows = tokens * top_k / ep, touched = std::min(experts / ep, std::max(1.0, rows));
    r.flops = 6 * h * f * rows;
    r.bytes = touched * 3 * h * f * static_cast<double>(bits(type)) / 8 + rows * (2 * h + 3 * f) * 2;
  }

  mutable MoeDraws draws_;   // the files of all devices deal alike
};

}  // namespace

std::unique_ptr<KernelTable> make_moe_table() { return std::make_unique<MoeTable>(); }

}  // namespace moesim
