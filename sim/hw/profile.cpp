#include "hw/profile.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/extends.h"
#include "base/named_file.h"
#include "hw/plausible.h"
#include "hw/profile_curves.h"
#include "hw/sourced_document.h"
#include "hw/spreading.h"
#include "hw/topology.h"

namespace moesim {

namespace {

constexpr std::array kDTypes{DType::fp32, DType::bf16, DType::fp8, DType::fp4};

// From far below the smallest part that ever ran such a job to far above the largest that is announced: outside, a unit slipped.
constexpr Limits<Bandwidth> kMemoryBandwidth{Bandwidth{1e9}, Bandwidth{1e15}};
constexpr Limits<Bandwidth> kLink{Bandwidth{1e6}, Bandwidth{1e14}};
constexpr Limits<FlopRate> kRate{FlopRate{1e9}, FlopRate{1e18}};
constexpr Limits<Bytes> kMemory{Bytes{1 << 20}, Bytes{std::int64_t{1} << 49}};
constexpr Limits<Bytes> kHalfMessage{Bytes{1}, Bytes{1 << 30}};
constexpr Limits<Bytes> kRamp{Bytes{1}, Bytes{std::int64_t{1} << 40}};
constexpr Limits<Time> kLatency{Time{0}, 100 * kMillisecond};
constexpr IntegerRange kGpus{1, 1 << 20};
constexpr NumberRange kSpeedSpread{0, 0.1};   // a few percent are measured; five sigma stay above half speed
constexpr NumberRange kTaper{0.01, 1000};
constexpr double kMostEfficiency = 1.25;  // bus bandwidth of in-switch reduction passes the link: 1.02-1.07 measured
constexpr const char* kKind = "hardware profile";

// { "bf16": number, "fp8": number }
template <class T, class Read>
std::map<DType, Sourced<T>> by_dtype(SourcedReader in, Read read) {
  std::map<DType, Sourced<T>> out;
  for (const DType t : kDTypes)
    if (const std::string key(name(t)); in.has(key)) out.emplace(t, read(in, key));
  in.done();
  return out;
}

std::map<DType, Sourced<double>> shares(SourcedReader in) {
  return by_dtype<double>(std::move(in), [](SourcedReader& r, const std::string& key) { return r.share(key); });
}

GpuProfile gpu(SourcedReader in) {
  GpuProfile out;
  out.name = in.plain().text("name");
  out.sms = in.integer("sms", {1, 100'000});
  out.memory = in.bytes("memory", kMemory);
  out.usable_memory = in.share("usable_memory");
  out.memory_bandwidth = in.bandwidth("memory_bandwidth", kMemoryBandwidth);
  out.peak = by_dtype<FlopRate>(in.object("peak"), [](SourcedReader& r, const std::string& key) { return r.flop_rate(key, kRate); });
  out.speed_spread = in.number("speed_spread", kSpeedSpread);
  in.done();
  return out;
}

GemmProfile gemm(SourcedReader in) {
  GemmProfile out;
  out.burst = shares(in.object("burst"));
  out.sustained = shares(in.object("sustained"));
  out.memory = in.share("memory");
  out.fixed = in.time("fixed", kLatency);
  out.half_k = in.number("half_k", {0, 1e6});
  in.done();
  return out;
}

GroupedGemmProfile grouped_gemm(SourcedReader in) {
  GroupedGemmProfile out;
  out.factor = in.share("factor");
  in.done();
  return out;
}

AttentionProfile attention(SourcedReader in) {
  AttentionProfile out;
  out.forward = in.flop_rate("forward", kRate);
  out.backward = in.flop_rate("backward", kRate);
  out.half_seq = in.number("half_seq", {0, 1e9});
  out.forward_half_tiles = in.number("forward_half_tiles", {0, 1e3});
  out.backward_half_tiles = in.number("backward_half_tiles", {0, 1e3});
  out.sustained = in.share("sustained");
  out.narrow_head_factor = in.share("narrow_head_factor");
  in.done();
  return out;
}

ComputeProfile compute(SourcedReader in) {
  ComputeProfile out;
  out.gemm = gemm(in.object("gemm"));
  out.grouped_gemm = grouped_gemm(in.object("grouped_gemm"));
  out.attention = attention(in.object("attention"));
  out.memory_bound = in.share("memory_bound");
  if (in.has("memory_large")) out.memory_large = in.share("memory_large"), out.memory_half = in.bytes("memory_half", kRamp);
  out.permute = in.share("permute");
  out.memory_fixed = in.time("memory_fixed", kLatency);
  in.done();
  return out;
}

MeasuredProfile measured(SourcedReader in) {
  constexpr std::array<std::string_view, 2> kFormats{"fp8", "fp8_block"};
  MeasuredProfile out;
  out.name = in.plain().text("curves");
  if (const auto format = in.plain().find_choice("fp8_format", kFormats)) out.fp8 = kFormats[*format];
  in.done();
  return out;
}

/// A switch and a PCIe root give two GPUs all links of a GPU; in a mesh the links are shared out over the peers.
Sourced<Bandwidth> per_pair(SourcedReader& in, const ScaleUpProfile& p) {
  const std::int64_t peers = p.kind == ScaleUpKind::mesh ? std::max<std::int64_t>(1, p.domain - 1) : 1;
  const std::string source = peers == 1 ? "all links of a GPU: per_gpu" : "a mesh shares the links over " + std::to_string(peers) + " peers: per_gpu / " + std::to_string(peers);
  return in.derived("per_pair", p.per_gpu.value / static_cast<double>(peers), source);
}

ScaleUpProfile scale_up(SourcedReader in) {
  constexpr std::array<std::string_view, 3> kinds{"none", "mesh", "nvswitch"};
  ScaleUpProfile out;
  out.kind = static_cast<ScaleUpKind>(in.plain().choice("kind", kinds));
  out.domain = in.integer("domain", kGpus).value;
  out.per_gpu = in.bandwidth("per_gpu", kLink);
  out.per_pair = in.has("per_pair") ? in.bandwidth("per_pair", kLink) : per_pair(in, out);
  out.pair_efficiency = in.share("pair_efficiency");
  out.all_to_all_efficiency = in.share("all_to_all_efficiency");
  out.ring_efficiency = in.share("ring_efficiency");
  if (in.has("nvls_efficiency")) out.nvls_efficiency = in.share("nvls_efficiency", kMostEfficiency);
  out.base_latency = in.time("base_latency", kLatency);
  out.hop_latency = in.time("hop_latency", kLatency);
  in.plain().ignore("curves");
  in.plain().ignore("fused_all_reduce");
  in.done();
  return out;
}

/// Links out of a group over those that its NICs could fill.
Sourced<double> taper(SourcedReader& in, const FabricTopology& t, std::int64_t gpus_of_group) {
  if (in.has("taper")) return in.number("taper", kTaper);
  if (!t.groups || !t.global_links_per_group_pair || gpus_of_group == 0) return in.derived("taper", 1.0, "not given: as much bandwidth as the NICs");
  const std::int64_t links = t.global_links_per_group_pair->value * (t.groups->value - 1);
  return in.derived("taper", static_cast<double>(gpus_of_group) / static_cast<double>(links),
                    std::to_string(gpus_of_group) + " NICs of a group over its " + std::to_string(links) + " global links");
}

FabricTopology topology(SourcedReader in, const std::vector<FabricLevel>& levels) {
  constexpr std::array<std::string_view, 4> kinds{"tree", "rail_tree", "dragonfly", "dragonfly_plus"};
  constexpr std::array<std::string_view, 2> routings{"adaptive", "ecmp"};
  FabricTopology out;
  out.kind = static_cast<FabricKind>(in.plain().choice("kind", kinds));
  if (const auto r = in.plain().find_choice("routing", routings)) out.routing = static_cast<Routing>(*r);
  if (in.has("groups")) out.groups = in.integer("groups", {2, 1 << 20});
  if (in.has("global_links_per_group_pair")) out.global_links_per_group_pair = in.integer("global_links_per_group_pair", {1, 1 << 20});
  out.taper = taper(in, out, levels.size() < 2 ? 0 : levels[levels.size() - 2].gpus);
  if (out.routing == Routing::ecmp) out.flows_per_gpu = in.number("flows_per_gpu", {1, 1e5});
  else in.plain().ignore("flows_per_gpu");
  in.done();
  return out;
}

ScaleOutProfile scale_out(SourcedReader in) {
  ScaleOutProfile out;
  out.fabric = in.plain().text("fabric");
  out.per_gpu = in.bandwidth("per_gpu", kLink);
  out.point_to_point_efficiency = in.share("point_to_point_efficiency");
  out.all_to_all_efficiency = in.share("all_to_all_efficiency");
  out.ring_efficiency = in.share("ring_efficiency");
  out.base_latency = in.time("base_latency", kLatency);
  out.half_message = in.bytes("half_message", kHalfMessage);
  out.bulk_overhead = in.time("bulk_overhead", kLatency);
  out.ll128 = in.plain().flag("ll128");
  in.plain().ignore("curves");
  for (SourcedReader& level : in.objects("levels")) {
    FabricLevel l;
    l.name = level.plain().text("name");
    if (level.has("gpus")) l.gpus = level.integer("gpus", {1, 1 << 30}).value;
    l.latency = level.time("latency", kLatency);
    level.done();
    out.levels.push_back(std::move(l));
  }
  if (in.has("topology")) out.topology = topology(in.object("topology"), out.levels);
  in.done();
  return out;
}

/// NICs hang on one link each, so flows are dealt out from the second level on; with rails over the uplinks of one switch of several in a place.
void spread_flows(HwProfile& p) {
  FabricTopology& t = p.scale_out.topology;
  if (t.routing == Routing::adaptive || p.scale_out.levels.size() < 2) return;
  const double switches = t.kind == FabricKind::rail_tree ? static_cast<double>(std::min(p.gpus_per_node, gpus_below_uplinks(p))) : 1;
  const double gpus = static_cast<double>(gpus_below_uplinks(p)) / switches;
  t.spread = hashed_share(gpus / t.taper.value, gpus * t.flows_per_gpu->value);
}

HostProfile host(SourcedReader in) {
  HostProfile out;
  out.name = in.plain().text("name");
  out.cpu_factor = in.number("cpu_factor", {0.01, 100});
  out.to_device = in.bandwidth("to_device", kLink);
  out.from_device = in.bandwidth("from_device", kLink);
  in.done();
  return out;
}

CostProfile cost(SourcedReader in) {
  CostProfile out;
  if (in.has("dollars_per_gpu_hour")) out.dollars_per_gpu_hour = in.number("dollars_per_gpu_hour", {0, 1e6});
  if (in.has("watts_per_gpu")) out.watts_per_gpu = in.number("watts_per_gpu", {0, 1e6});
  in.done();
  return out;
}

/// A job fills whole domains, and whole places of a level in each place of the next: 4 domains of 64 in a level of 288 GPUs, whose
/// other 32 stay idle.
void keep_whole_places(HwProfile& p) {
  std::int64_t inner = p.scale_up.domain;
  for (FabricLevel& level : p.scale_out.levels)
    if (level.gpus > 0) inner = level.gpus = level.gpus / inner * inner;
}

HwProfile profile(const SourcedDocument& document) {
  HwProfile out;
  SourcedReader in(document, out.numbers);
  in.plain().ignore("extends");
  out.name = printable(in.plain().text("name"));
  out.description = in.plain().text("description");
  out.gpus_per_node = in.integer("gpus_per_node", kGpus).value;
  out.gpu = gpu(in.object("gpu"));
  out.compute = compute(in.object("compute"));
  if (in.has("measured")) out.measured = measured(in.object("measured"));
  out.scale_up = scale_up(in.object("scale_up"));
  out.scale_out = scale_out(in.object("scale_out"));
  out.host = host(in.object("host"));
  if (in.has("cost")) out.cost = cost(in.object("cost"));
  in.done();
  check_consistent(out, document.name());
  keep_whole_places(out);
  spread_flows(out);
  return out;
}

}  // namespace

HwProfile load_hw_profile(const Document& document, const std::filesystem::path& data, Curves curves) {
  const std::vector<Document> chain = extension_chain(document, kKind, data / "hw_profiles");
  SourcedDocument merged(chain.back());
  HwProfile out = profile(merged);
  add_absolute_warnings(out, merged);
  // From the last base up, so that an error is reported for the file that made it.
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    const HwProfile base = std::move(out);
    merged = SourcedDocument::merged(merged, SourcedDocument(chain[i]));
    out = profile(merged);
    out.name = printable(own_name(chain[i]));
    out.warnings = base.warnings;
    add_relative_warnings(out, base, merged);
    check_own_rates(out, base, chain[i]);
    add_idle_warnings(out, chain[i]);
  }
  if (curves == Curves::read) read_curves(out, chain, data);
  return out;
}

HwProfile load_hw_profile(const std::string& name_or_path, const std::filesystem::path& data, Curves curves) {
  return load_hw_profile(Document::load(resolve_named_file(name_or_path, data / "hw_profiles", kKind)), data, curves);
}

std::vector<std::string> hw_profile_names(const std::filesystem::path& data) { return json_names(data / "hw_profiles"); }

}  // namespace moesim
