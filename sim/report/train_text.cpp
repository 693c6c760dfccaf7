#include "report/train_text.h"

#include <algorithm>
#include <cmath>

#include "analysis/interval.h"
#include "base/unit_text.h"
#include "report/memory_text.h"
#include "report/table.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

std::string head(const TrainReport& r, std::size_t width) {
  Table t({kLeft, kLeft});
  t.row({"model", wrap(r.model, width, 12)});
  t.row({"machine", wrap(r.hardware + ", " + counted(r.gpus, "GPU"), width, 12)});
  t.row({"layout", wrap(r.layout, width, 12)});
  t.row({"software", wrap(r.stack, width, 12)});
  t.row({"detail", wrap(r.detail + (r.merged.empty() ? "" : ": " + r.merged), width, 12)});
  return t.text();
}

std::string headline(const TrainReport& r) {
  Table t({kLeft, kRight, kLeft, kRight});
  t.row({"step time", seconds_text(r.step_time_s), "  tokens/s", significant(r.tokens_per_s, 4)});
  t.row({"MFU", share_text(r.mfu), "  tokens/s/GPU", significant(r.tokens_per_s_per_gpu, 4)});
  t.row({"HFU", share_text(r.hfu), "  TFLOP/s/GPU", significant(r.tflops_per_gpu, 4)});
  const StageMemory& m = r.memory.stages[r.memory.peak_stage];
  t.row({"peak memory", to_text(m.total()), "  of", to_text(r.memory.capacity)});
  if (!r.sample_step_times_s.empty()) {
    const auto at = [&](double q) {
      const auto n = static_cast<double>(r.sample_step_times_s.size());
      return seconds_text(r.sample_step_times_s[static_cast<std::size_t>(std::min(n - 1, std::ceil(q * n) - 1))]);
    };
    t.row({"step p50", at(0.5), "  p95", at(0.95)});
  }
  return t.text();
}

/// What the two utilisations count and divide by, and which draw the figures are of.
std::string footnote(const TrainReport& r, std::size_t width) {
  const bool drops = r.moe && r.moe->drop_rate > 0;
  const std::string text = std::string("MFU: Megatron's model FLOPs") + (drops ? ", dropped tokens included" : "") +
                           "; HFU: FLOPs executed; both of " + significant(r.mfu_peak_tflops, 4) + " TFLOP/s (dense bf16)" +
                           (r.sample_step_times_s.empty() ? "" : "; all but p50 and p95 is the first of " + std::to_string(r.sample_step_times_s.size()) + " draws");
  return "  " + wrap(text, width, 2) + "\n";
}

std::string bars(const std::vector<Bar>& all, double total, std::size_t width) {
  Table t({kLeft, kRight, kRight, kLeft});
  double most = 0;
  for (const Bar& b : all) most = std::max(most, b.seconds);
  const std::size_t room = width > 64 ? width - 64 : 0;   // what the longest name and its figures leave
  for (const Bar& b : all) {
    if (std::abs(b.seconds) < 5e-4 * total) continue;
    t.row({b.name, seconds_text(b.seconds), share_text(b.seconds / total), bar(b.seconds / most, room)});
  }
  t.row({"step", seconds_text(total), "100 %", ""});
  return t.text();
}

/// Where measurements would probably lie, from the errors of published rows of the same kind.
std::string likely(const TrainReport& r, std::size_t width) {
  std::string out = "  " + wrap(likely_peak(r.memory, r.hardware), width, 2) + "\n";
  if (r.interval_high_s <= 0) return out;
  const ErrorSpread& s = published_error_spread(r.moe.has_value());
  const std::string text = "step likely between " + seconds_text(r.interval_low_s) + " and " + seconds_text(r.interval_high_s) + ": " + std::to_string(s.inside) + " of " +
                           std::to_string(s.rows) + " published " + (r.moe ? "MoE" : "dense") + " steps fall inside" +
                           (published_on(r.hardware, r.moe.has_value()) ? "" : ", none of which ran on this machine");
  return "  " + wrap(text, width, 2) + "\n" + out;
}

std::string provenance(const TrainReport& r) {
  std::string out;
  for (std::size_t p = 0; p < kProvenances; ++p)
    if (r.provenance[p] > 0) out += (out.empty() ? "" : ", ") + share_text(r.provenance[p]) + " " + std::string(name(static_cast<Provenance>(p)));
  return out;
}

std::string list(const std::string& title, const std::vector<std::string>& lines, std::size_t width) {
  std::string out;
  for (const std::string& l : lines) out += "  - " + wrap(l, width, 4) + "\n";
  return out.empty() ? out : "\n" + title + "\n" + out;
}

}  // namespace

std::string to_text(const TrainReport& r, std::size_t width) {
  std::string out = wrap(r.scenario_name, width, 0) + "\n" + head(r, width) + "\n" + headline(r) + footnote(r, width) + likely(r, width);
  out += "\n" + wrap("Where the step goes, from the peak of each precision down (mean over ranks)", width, 0) + "\n" + bars(r.waterfall, r.step_time_s, width);
  std::vector<Bar> path;
  for (const CriticalItem& c : r.critical_path) path.push_back({c.name, c.seconds});
  if (!path.empty()) out += "\nCritical path\n" + bars(path, r.step_time_s, width);
  out += "\nMemory\n" + to_text(r.memory);
  if (r.moe) {
    Table t({kLeft, kRight, kLeft, kRight});
    t.row({"busiest rank / mean", significant(r.moe->rank_max_over_mean, 3), "  MaxVio", significant(r.moe->max_vio, 3)});
    t.row({"Gini", significant(r.moe->gini, 2), "  dropped", share_text(r.moe->drop_rate)});
    out += "\nExpert load (mean over layers and micro-batches)\n" + t.text();
  }
  out += "\n" + wrap("Kernel time by provenance: " + provenance(r), width, 0) + "\n";
  std::string defaults;
  for (const std::string& d : r.defaults) defaults += (defaults.empty() ? "" : ", ") + d;
  if (!defaults.empty()) out += "\nChosen by default\n  " + wrap(defaults, width, 2) + "\n";
  out += list("Warnings", r.warnings, width);
  return out;
}

}  // namespace moesim
