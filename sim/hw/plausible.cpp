#include "hw/plausible.h"

#include <optional>

#include "base/error.h"
#include "base/reader.h"
#include "base/unit_text.h"

namespace moesim {

namespace {

constexpr Bandwidth kSlowestNvlink{64e9};   // PCIe 5 x16 moves 63 GB/s
constexpr Bandwidth kFastestNic{200e9};     // 1.6 Tb/s
constexpr double kFar = 4;                  // bits for bytes is a factor of 8

// "450 Gb/s" -> `; bits or bytes? "450 GB/s" would be eight times as much`, and the other way round.
std::string slip(const std::string& text, bool wants_more) {
  const std::string from = wants_more ? "b/s" : "B/s", to = wants_more ? "B/s" : "b/s";
  const std::size_t at = text.rfind(from);
  const std::string size = wants_more ? "eight times as much" : "an eighth of it";
  if (at == std::string::npos) return "; bits taken for bytes, or the other way round?";
  return "; bits or bytes? \"" + text.substr(0, at) + to + text.substr(at + from.size()) + "\" would be " + size;
}

void warn(HwProfile& profile, const SourcedDocument& document, const std::string& path, const std::string& finding, bool wants_more) {
  const std::string& text = document.origin(path).value;
  profile.warnings.push_back(document.name() + ": " + path + ": \"" + text + "\" is " + finding + slip(text, wants_more));
}

void compare(HwProfile& profile, const std::string& base, const SourcedDocument& document, const std::string& path, Bandwidth now,
             Bandwidth before) {
  if (!document.has_origin(path)) return;  // it follows from others
  const std::string whose = "the " + to_text(before) + " of " + base;
  if (now < before / kFar) warn(profile, document, path, "less than a quarter of " + whose, true);
  if (now > before * kFar) warn(profile, document, path, "more than four times " + whose, false);
}

}  // namespace

void check_consistent(const HwProfile& p, const std::string& file) {
  const auto fail = [&](const std::string& path, const std::string& message) { throw InputError(file + ": " + path + ": " + message); };
  if (!p.gpu.peak.contains(DType::bf16)) fail("gpu.peak.bf16", "missing");
  for (const auto& [t, unused] : p.gpu.peak) {
    if (!p.compute.gemm.burst.contains(t)) fail("compute.gemm.burst." + std::string(name(t)), "missing, since gpu.peak." + std::string(name(t)) + " is given");
    if (!p.compute.gemm.sustained.contains(t)) fail("compute.gemm.sustained." + std::string(name(t)), "missing, since gpu.peak." + std::string(name(t)) + " is given");
  }
  if (p.scale_up.per_pair.value > p.scale_up.per_gpu.value)
    fail("scale_up.per_pair", "found " + to_text(p.scale_up.per_pair.value) + ", allowed is at most scale_up.per_gpu, " +
                                  to_text(p.scale_up.per_gpu.value) + "; null lets it follow per_gpu");
  if (p.scale_up.domain % p.gpus_per_node != 0 && p.gpus_per_node % p.scale_up.domain != 0)
    fail("scale_up.domain", "found " + std::to_string(p.scale_up.domain) + ", allowed is a multiple or a divisor of gpus_per_node, " +
                                std::to_string(p.gpus_per_node));
  const std::vector<FabricLevel>& levels = p.scale_out.levels;
  if (levels.empty()) fail("scale_out.levels", "found none, allowed is one or more");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string path = "scale_out.levels." + std::to_string(i) + ".gpus";
    const bool last = i + 1 == levels.size();
    if (last && levels[i].gpus != 0) fail(path, "the last level joins all GPUs and has no size");
    if (!last && levels[i].gpus == 0) fail(path, "missing");
    if (!last && i > 0 && levels[i].gpus <= levels[i - 1].gpus)
      fail(path, "found " + std::to_string(levels[i].gpus) + ", allowed is more than the level before, " +
                     std::to_string(levels[i - 1].gpus));
    if (!last && levels[i].gpus < p.scale_up.domain)
      fail(path, "found " + std::to_string(levels[i].gpus) + ", allowed is scale_up.domain, " + std::to_string(p.scale_up.domain) + ", or more");
  }
}

void check_own_rates(const HwProfile& now, const HwProfile& base, const Document& own) {
  if (now.gpu.sms.value == base.gpu.sms.value) return;
  Reader root = own.root();
  Reader gpu = root.object("gpu");
  std::optional<Reader> peak = gpu.find_object("peak");
  std::string left;
  for (const auto& [dtype, rate] : now.gpu.peak)
    if (const std::string key(name(dtype)); !peak || !peak->has(key)) left += (left.empty() ? "gpu.peak." : ", gpu.peak.") + key;
  if (left.empty()) return;
  gpu.fail("sms", "found " + std::to_string(now.gpu.sms.value) + ", allowed is " + std::to_string(base.gpu.sms.value) + ": the rates of " + base.name +
                      " are those of all its SMs; a GPU with others gives its own " + left);
}

void add_idle_warnings(HwProfile& now, const Document& own) {
  Reader root = own.root();
  std::optional<Reader> fabric = root.find_object("scale_out");
  std::optional<Reader> topology = fabric ? fabric->find_object("topology") : std::nullopt;
  if (!topology) return;
  const FabricTopology& t = now.scale_out.topology;
  const auto idle = [&](const std::string& key, bool is, const std::string& reason) {
    if (is && topology->has(key)) now.warnings.push_back(own.name() + ": scale_out.topology." + key + " has no effect: " + reason);
  };
  idle("flows_per_gpu", t.routing == Routing::adaptive, "adaptive routing spreads packets, not flows");
  const bool follows = t.groups && t.global_links_per_group_pair && t.taper.grade == Grade::derived && now.scale_out.levels.size() >= 2;
  for (const char* key : {"groups", "global_links_per_group_pair"})
    idle(key, !follows, "it is for the taper, which follows from groups, global_links_per_group_pair and two levels, and only where it is not given");
}

void add_absolute_warnings(HwProfile& p, const SourcedDocument& document) {
  if (p.scale_up.kind != ScaleUpKind::none && p.scale_up.per_gpu.value < kSlowestNvlink)
    warn(p, document, "scale_up.per_gpu", "slower than PCIe", true);
  if (p.scale_out.per_gpu.value > kFastestNic)
    warn(p, document, "scale_out.per_gpu", "more than a NIC of " + to_text(kFastestNic), false);
}

void add_relative_warnings(HwProfile& p, const HwProfile& base, const SourcedDocument& document) {
  compare(p, base.name, document, "scale_up.per_gpu", p.scale_up.per_gpu.value, base.scale_up.per_gpu.value);
  compare(p, base.name, document, "scale_up.per_pair", p.scale_up.per_pair.value, base.scale_up.per_pair.value);
  compare(p, base.name, document, "scale_out.per_gpu", p.scale_out.per_gpu.value, base.scale_out.per_gpu.value);
  compare(p, base.name, document, "gpu.memory_bandwidth", p.gpu.memory_bandwidth.value, base.gpu.memory_bandwidth.value);
}

}  // namespace moesim
