#include "report/train_text.h"

#include <algorithm>
#include <cmath>

#include "analysis/interval.h"
#include "base/unit_text.h"
#include "report/table.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

std::string percent(double share) { return significant(share * 100, std::abs(share) >= 0.1 ? 3 : 2) + " %"; }
std::string secs(double s) { return to_text(time_from_seconds(s)); }

std::string head(const TrainReport& r, std::size_t width) {
  Table t({kLeft, kLeft});
  t.row({"model", r.model});
  t.row({"machine", r.hardware + ", " + std::to_string(r.gpus) + " GPUs"});
  t.row({"layout", wrap(r.layout, width, 12)});
  t.row({"software", r.stack});
  t.row({"detail", wrap(r.detail + (r.merged.empty() ? "" : ": " + r.merged), width, 12)});
  return t.text();
}

std::string headline(const TrainReport& r) {
  Table t({kLeft, kRight, kLeft, kRight});
  t.row({"step time", secs(r.step_time_s), "  tokens/s", significant(r.tokens_per_s, 4)});
  t.row({"MFU", percent(r.mfu), "  tokens/s/GPU", significant(r.tokens_per_s_per_gpu, 4)});
  t.row({"HFU", percent(r.hfu), "  TFLOP/s/GPU", significant(r.tflops_per_gpu, 4)});
  const StageMemory& m = r.memory.stages[r.memory.peak_stage];
  t.row({"peak memory", to_text(m.total()), "  of", to_text(r.memory.capacity)});
  if (!r.sample_step_times_s.empty()) {
    const auto at = [&](double q) {
      const auto n = static_cast<double>(r.sample_step_times_s.size());
      return secs(r.sample_step_times_s[static_cast<std::size_t>(std::min(n - 1, std::ceil(q * n) - 1))]);
    };
    t.row({"step p50", at(0.5), "  p95", at(0.95)});
  }
  return t.text();
}

std::string bars(const std::vector<Bar>& all, double total, std::size_t width) {
  Table t({kLeft, kRight, kRight, kLeft});
  double most = 0;
  for (const Bar& b : all) most = std::max(most, b.seconds);
  const std::size_t room = width > 64 ? width - 64 : 8;
  for (const Bar& b : all) {
    if (std::abs(b.seconds) < 5e-4 * total) continue;
    t.row({b.name, secs(b.seconds), percent(b.seconds / total), bar(b.seconds / most, room)});
  }
  t.row({"step", secs(total), "100 %", ""});
  return t.text();
}

/// Where a measurement would probably lie, from the errors of published rows of the same kind.
std::string likely(const TrainReport& r, std::size_t width) {
  if (r.interval_high_s <= 0) return "";
  const ErrorSpread& s = published_error_spread(r.moe.has_value());
  const std::string text = "likely between " + secs(r.interval_low_s) + " and " + secs(r.interval_high_s) + ": 8 of 10 published " +
                           (r.moe ? "MoE" : "dense") + " rows (of " + std::to_string(s.rows) + ") fall inside";
  return "  " + wrap(text, width, 2) + "\n";
}

std::string provenance(const TrainReport& r) {
  std::string out;
  for (std::size_t p = 0; p < kProvenances; ++p)
    if (r.provenance[p] > 0) out += (out.empty() ? "" : ", ") + percent(r.provenance[p]) + " " + std::string(name(static_cast<Provenance>(p)));
  return out;
}

std::string list(const std::string& title, const std::vector<std::string>& lines, std::size_t width) {
  std::string out;
  for (const std::string& l : lines) out += "  - " + wrap(l, width, 4) + "\n";
  return out.empty() ? out : "\n" + title + "\n" + out;
}

}  // namespace

std::string to_text(const TrainReport& r, std::size_t width) {
  std::string out = r.scenario_name + "\n" + head(r, width) + "\n" + headline(r) + likely(r, width);
  out += "\nWhere the step goes, from the peak down (mean over ranks)\n" + bars(r.waterfall, r.step_time_s, width);
  std::vector<Bar> path;
  for (const CriticalItem& c : r.critical_path) path.push_back({c.name, c.seconds});
  if (!path.empty()) out += "\nCritical path\n" + bars(path, r.step_time_s, width);
  out += "\nMemory\n" + to_text(r.memory);
  if (r.moe) {
    Table t({kLeft, kRight, kLeft, kRight});
    t.row({"busiest rank / mean", significant(r.moe->rank_max_over_mean, 3), "  MaxVio", significant(r.moe->max_vio, 3)});
    t.row({"Gini", significant(r.moe->gini, 2), "  dropped", percent(r.moe->drop_rate)});
    out += "\nExpert load (mean over layers and micro-batches)\n" + t.text();
  }
  out += "\nKernel time by provenance: " + provenance(r) + "\n";
  std::string defaults;
  for (const std::string& d : r.defaults) defaults += (defaults.empty() ? "" : ", ") + d;
  if (!defaults.empty()) out += "\nChosen by default\n  " + wrap(defaults, width, 2) + "\n";
  out += list("Warnings", r.warnings, width);
  return out;
}

std::string to_text(const MemoryReport& m) {
  const StageMemory& peak = m.stages[m.peak_stage];
  Table t({kLeft, kRight});
  t.row({"parameters", to_text(peak.parameters)});
  t.row({"gradients", to_text(peak.gradients)});
  t.row({"optimizer", to_text(peak.optimizer)});
  t.row({"activations (" + std::to_string(peak.peak_in_flight) + " in flight)", to_text(peak.activations)});
  t.row({"workspace", to_text(peak.workspace)});
  t.row({"framework", to_text(peak.framework)});
  t.row({"total of stage " + std::to_string(peak.stage) + ", the fullest", to_text(peak.total())});
  t.row({m.fits() ? "free" : "too much by", to_text(m.fits() ? m.capacity - peak.total() : peak.total() - m.capacity)});
  return t.text();
}

std::string stages_text(const MemoryReport& m) {
  Table t({kRight, kRight, kRight, kRight, kRight, kRight, kRight, kRight});
  t.row({"stage", "params", "grads", "optimizer", "activations", "workspace", "other", "total"});
  for (const StageMemory& s : m.stages)
    t.row({std::to_string(s.stage) + (&s == &m.stages[m.peak_stage] ? "*" : ""), to_text(s.parameters), to_text(s.gradients), to_text(s.optimizer),
           to_text(s.activations), to_text(s.workspace), to_text(s.framework), to_text(s.total())});
  return t.text(0) + "* the fullest; usable memory of the GPU " + to_text(m.capacity) + "\n";
}

std::string does_not_fit(const MemoryReport& m) {
  const StageMemory& s = m.stages[m.peak_stage];
  return "does not fit: stage " + std::to_string(s.stage) + " needs " + to_text(s.total()) + " of " + to_text(m.capacity) + " usable, " +
         to_text(s.total() - m.capacity) + " too much (activations " + to_text(s.activations) + ", optimizer " + to_text(s.optimizer) + ")";
}

std::string compare_text(const TrainReport& a, const TrainReport& b, std::size_t width) {
  Table t({kLeft, kRight, kRight, kRight});
  const auto ratio = [](double x, double y) { return x == 0 ? std::string("-") : significant(y / x, 3) + "x"; };
  t.row({"", "A", "B", "B / A"});
  t.row({"step time", secs(a.step_time_s), secs(b.step_time_s), ratio(a.step_time_s, b.step_time_s)});
  t.row({"tokens/s", significant(a.tokens_per_s, 4), significant(b.tokens_per_s, 4), ratio(a.tokens_per_s, b.tokens_per_s)});
  t.row({"tokens/s/GPU", significant(a.tokens_per_s_per_gpu, 4), significant(b.tokens_per_s_per_gpu, 4), ratio(a.tokens_per_s_per_gpu, b.tokens_per_s_per_gpu)});
  t.row({"MFU", percent(a.mfu), percent(b.mfu), ratio(a.mfu, b.mfu)});
  const auto peak = [](const TrainReport& r) { return r.memory.stages[r.memory.peak_stage].total(); };
  t.row({"peak memory", to_text(peak(a)), to_text(peak(b)), ratio(static_cast<double>(peak(a).count()), static_cast<double>(peak(b).count()))});
  std::string out = "A  " + wrap(a.scenario_name + ": " + a.layout, width, 3) + "\nB  " + wrap(b.scenario_name + ": " + b.layout, width, 3) + "\n\n" + t.text(0);
  std::vector<std::size_t> order(a.waterfall.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto difference = [&](std::size_t i) { return b.waterfall[i].seconds - a.waterfall[i].seconds; };
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return std::abs(difference(x)) > std::abs(difference(y)); });
  Table d({kLeft, kRight, kRight, kRight});
  d.row({"", "A", "B", "B - A"});
  for (const std::size_t i : order)
    if (std::abs(difference(i)) > 5e-4 * std::max(a.step_time_s, b.step_time_s))
      d.row({a.waterfall[i].name, secs(a.waterfall[i].seconds), secs(b.waterfall[i].seconds), (difference(i) > 0 ? "+" : "") + secs(difference(i))});
  return out + "\nWhere the time went, largest change first\n" + d.text();
}

}  // namespace moesim
