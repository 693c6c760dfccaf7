#include "report/hw_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/unit_text.h"
#include "hw/topology.h"
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

std::string switches(std::int64_t n) { return n == 0 ? "none" : std::to_string(n); }

/// How many switches a group of a dragonfly or a unit of rails has; "" where nothing is known beyond the levels.
std::string made_of(const HwProfile& p) {
  const std::vector<FabricLevel>& l = p.scale_out.levels;
  const FabricTopology& t = p.scale_out.topology;
  if (l.size() < 2) return "";
  if (t.kind == FabricKind::rail_tree) return "; a leaf switch for each of the " + std::to_string(p.gpus_per_node) + " NICs of a node";
  if (t.kind == FabricKind::tree || l.size() < 3 || l.front().gpus == 0) return "";
  std::string out = "; " + std::to_string(l[1].gpus / l[0].gpus) + " switches of " + std::to_string(l[0].gpus / p.gpus_per_node) + " nodes a group";
  if (t.global_links_per_group_pair) out += ", " + std::to_string(t.global_links_per_group_pair->value) + " global links a pair of groups";
  return out;
}

/// Levels from near to far, and what the last one leaves of the NICs below it.
std::string network(const HwProfile& p, std::size_t width) {
  constexpr std::array<std::string_view, 4> kinds{"fat tree", "rail-optimised fat tree", "dragonfly", "dragonfly+"};
  const Topology topology(p);
  Table t({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right});
  t.row({"network", "GPUs", "switches", "latency"});
  t.row({"scale-up domain", std::to_string(p.scale_up.domain), switches(topology.route(Rank(0), Rank(p.scale_up.domain > 1 ? 1 : 0)).switches), to_text(p.scale_up.hop_latency.value)});
  for (const Topology::Level& l : topology.levels()) t.row({std::string(l.name), l.gpus == 0 ? "all" : std::to_string(l.gpus), switches(l.switches), to_text(l.latency)});
  const FabricTopology& f = p.scale_out.topology;
  const Bandwidth nic = p.scale_out.per_gpu.value;
  std::string about = std::string(kinds[static_cast<std::size_t>(f.kind)]) + made_of(p) + ". ";
  about += std::to_string(topology.gpus_below()) + " GPUs share " + std::to_string(std::llround(topology.uplinks())) + " uplinks of " + to_text(nic) + " (taper " + significant(f.taper.value, 3) + ", " +
           std::string(name(f.taper.grade)) + "), " + (f.routing == Routing::adaptive ? "filled evenly by adaptive routing" : "filled by hash (ECMP)");
  about += topology.binds() ? ": " + to_text(nic * topology.uplink_share()) + " each when all send. " : ". ";
  return t.text() + "\n" + wrap(about + "Ranks fill domains and places of each level in order.", width, 0) + "\n";
}

/// The number of a source in the list of sources, from 1; new ones are added.
std::size_t note(std::vector<std::string>& sources, const std::string& source) {
  const auto it = std::find(sources.begin(), sources.end(), source);
  if (it == sources.end()) sources.push_back(source);
  return static_cast<std::size_t>(std::find(sources.begin(), sources.end(), source) - sources.begin()) + 1;
}

}  // namespace

std::string hw_text(const HwProfile& p, std::size_t width) {
  std::string out = wrap(p.name + ": " + p.description, width, 2) + "\n\n" + rates(p) + "\n" + network(p, width) + "\n";
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
