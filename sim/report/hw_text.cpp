#include "report/hw_text.h"

#include <algorithm>
#include <vector>

#include "base/unit_text.h"
#include "hw/unused.h"
#include "report/table.h"

namespace moesim {
namespace {

std::string percent(double share) { return significant(share * 100, 3) + " %"; }

/// What arithmetic peaks at, and what long runs reach.
std::string rates(const HwProfile& p) {
  Table t({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right});
  t.row({"large GEMM", "peak", "burst", "sustained"});
  for (const auto& [type, peak] : p.gpu.peak) {
    const auto burst = p.compute.gemm.burst.find(type), sustained = p.compute.gemm.sustained.find(type);
    t.row({std::string(name(type)), to_text(peak.value), burst == p.compute.gemm.burst.end() ? "-" : percent(burst->second.value),
           sustained == p.compute.gemm.sustained.end() ? "-" : percent(sustained->second.value)});
  }
  return t.text();
}

/// The number of a source in the list of sources, from 1; new ones are added.
std::size_t note(std::vector<std::string>& sources, const std::string& source) {
  const auto it = std::find(sources.begin(), sources.end(), source);
  if (it == sources.end()) sources.push_back(source);
  return static_cast<std::size_t>(std::find(sources.begin(), sources.end(), source) - sources.begin()) + 1;
}

}  // namespace

std::string hw_text(const HwProfile& p, std::size_t width) {
  std::string out = wrap(p.name + ": " + p.description, width, 2) + "\n\n" + rates(p) + "\n";
  Table t({Table::Align::left, Table::Align::right, Table::Align::left, Table::Align::right});
  std::vector<std::string> sources;
  bool marked = false;
  for (const ProfileNumber& n : p.numbers) {
    const bool unused = unused_by_train(n.path);
    marked = marked || unused;
    t.row({n.path + (unused ? " *" : ""), n.value, std::string(name(n.grade)), "[" + std::to_string(note(sources, n.source)) + "]"});
  }
  out += t.text(0) + (marked ? "* no result of `moesim train` depends on it yet\n" : "") + "\nSources (keys: hw_profiles/README.md)\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string number = "[" + std::to_string(i + 1) + "] ";
    out += std::string(5 - std::min<std::size_t>(5, number.size()), ' ') + number + wrap(sources[i], width, 5) + "\n";
  }
  return out;
}

}  // namespace moesim
