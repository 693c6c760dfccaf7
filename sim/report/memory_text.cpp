#include "report/memory_text.h"

#include <algorithm>

#include "analysis/interval.h"
#include "base/unit_text.h"
#include "report/table.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

struct Component {
  std::string name;
  Bytes bytes{0};
  std::vector<std::string> relief;
};

/// The largest components of a stage, until together they are two thirds of it.
std::vector<Component> largest(const StageMemory& s, const MemoryRelief& r) {
  std::vector<Component> all{{"parameters", s.parameters, r.parameters}, {"gradients", s.gradients, r.gradients}, {"optimizer", s.optimizer, r.optimizer},
                        {"activations", s.activations, r.activations}, {"workspace", s.workspace, r.workspace}, {"framework", s.framework, {}}};
  std::stable_sort(all.begin(), all.end(), [](const Component& a, const Component& b) { return a.bytes > b.bytes; });
  Bytes sum{0};
  std::size_t n = 0;
  while (n < all.size() && sum * 3 < s.total() * 2) sum += all[n++].bytes;
  all.resize(n);
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

}  // namespace

std::string to_text(const MemoryReport& m) {
  const StageMemory& peak = m.stages[m.peak_stage];
  Table t({kLeft, kRight});
  t.row({"parameters", to_text(peak.parameters)});
  t.row({"gradients", to_text(peak.gradients)});
  t.row({"optimizer", to_text(peak.optimizer)});
  t.row({"activations (" + counted(peak.peak_in_flight, "chunk") + " in flight)", to_text(peak.activations)});
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

namespace {

std::pair<Bytes, Bytes> likely_bytes(const MemoryReport& m) {
  const auto [low, high] = likely_interval(static_cast<double>(m.stages[m.peak_stage].total().count()), published_peak_spread());
  return {Bytes{static_cast<std::int64_t>(low)}, Bytes{static_cast<std::int64_t>(high)}};
}

/// Whether the prediction's own error could make it fit.
std::string doubt(const MemoryReport& m) {
  const auto [low, high] = likely_bytes(m);
  if (low > m.capacity) return "";
  return ". It may fit after all: most published peaks would lie between " + to_text(low) + " and " + to_text(high);
}

}  // namespace

std::string likely_peak(const MemoryReport& m, const std::string& machine) {
  const ErrorSpread& s = published_peak_spread();
  const auto [low, high] = likely_bytes(m);
  const bool below = high < m.stages[m.peak_stage].total();
  return "peak likely between " + to_text(low) + " and " + to_text(high) + (below ? ", under the prediction as most published peaks were: " : ": ") +
         std::to_string(s.inside) + " of " + std::to_string(s.rows) + " published peaks, of " + counted(published_peak_models(), "model") + ", fall inside" +
         (published_peak_on(machine) ? "" : ", none of which ran on this machine");
}

std::string does_not_fit(const MemoryReport& m) {
  const StageMemory& s = m.stages[m.peak_stage];
  std::string parts;
  for (const Component& p : largest(s, m.relief))
    parts += (parts.empty() ? "" : "; ") + p.name + " " + to_text(p.bytes) + (p.relief.empty() ? "" : " (less with " + joined(p.relief) + ")");
  return "does not fit: stage " + std::to_string(s.stage) + " needs " + to_text(s.total()) + " of " + to_text(m.capacity) + " usable, " +
         to_text(s.total() - m.capacity) + " too much. Largest: " + parts + doubt(m);
}

}  // namespace moesim
