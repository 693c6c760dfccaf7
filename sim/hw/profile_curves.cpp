#include "hw/profile_curves.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/named_file.h"
#include "base/reader.h"
#include "hw/collective_curves.h"
#include "hw/measured.h"

namespace moesim {
namespace {

/// The file of the curves, a relative path from the folder of the profile that names it.
std::filesystem::path curves_file(const std::string& name, std::span<const Document> chain, const std::filesystem::path& data) {
  const std::filesystem::path folder = data / "hw_profiles" / "measured";
  for (const Document& d : chain) {
    Reader in = d.root();
    if (!in.has("measured") || !in.object("measured").has("curves")) continue;
    try {
      const std::filesystem::path file = resolve_named_file(name, folder, "file of measured curves");
      return is_path(name) ? std::filesystem::path(d.name()).parent_path() / file : file;
    } catch (const InputError& e) {
      throw InputError(d.name() + ": measured.curves: " + e.what());
    }
  }
  return {};
}

/// What `key` of a fabric names, a relative path from the folder of the profile.
std::filesystem::path named_by(Reader& fabric, const std::string& key, const Document& profile, const std::filesystem::path& folder) {
  const std::string name = fabric.text(key);
  try {
    const std::filesystem::path file = resolve_named_file(name, folder, "file of curves of collectives");
    return is_path(name) ? std::filesystem::path(profile.name()).parent_path() / file : file;
  } catch (const InputError& e) {
    fabric.fail(key, e.what());
  }
}

/// Curves of a fabric, and the profile of the chain whose numbers they were timed with where a nearer one changes more than bandwidths.
struct FabricCurves {
  std::shared_ptr<const CollectiveCurves> curves;
  const Document* timed_on = nullptr;
};

/// Whether a profile speaks of other links, not of changed ones: it names another GPU, or another network.
bool is_another(Reader& root, const std::string& fabric) {
  if (fabric == "scale_out") return root.object(fabric).has("fabric");
  return root.has("gpu") && root.object("gpu").has("name");
}

/// Those of `fabric` ("scale_up") that the nearest profile names under `key`, unless a nearer one names others or is of other links.
FabricCurves fabric_curves(const std::vector<Document>& chain, const std::string& fabric, const std::string& key, const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 7> kFree{"per_gpu", "per_pair", "domain", "curves", "fused_all_reduce", "fabric", "topology"};
  bool changed = false;
  for (const Document& d : chain) {
    Reader root = d.root();
    if (!root.has(fabric)) continue;
    Reader in = root.object(fabric);
    if (in.has(key)) return {std::make_shared<const CollectiveCurves>(read_collective_curves(Document::load(named_by(in, key, d, folder)))), changed ? &d : nullptr};
    if (in.has("curves")) return {};   // of another machine
    for (const std::string& k : in.keys()) changed = changed || (!k.starts_with("_") && std::find(kFree.begin(), kFree.end(), k) == kFree.end());
    if (changed && is_another(root, fabric)) return {};
  }
  return {};
}

/// `now` with the numbers of `then`, but for bandwidths and sizes, which curves follow.
HwProfile with_scale_up_of(const HwProfile& then, HwProfile now) {
  ScaleUpProfile was = then.scale_up;
  was.domain = now.scale_up.domain, was.per_gpu = now.scale_up.per_gpu, was.per_pair = now.scale_up.per_pair;
  now.scale_up = std::move(was);
  return now;
}

HwProfile with_scale_out_of(const HwProfile& then, HwProfile now) {
  ScaleOutProfile was = then.scale_out;
  was.per_gpu = now.scale_out.per_gpu, was.topology = now.scale_out.topology;
  now.scale_out = std::move(was);
  return now;
}

}  // namespace

void read_curves(HwProfile& out, const std::vector<Document>& chain, const std::filesystem::path& data) {
  if (!out.measured.name.empty()) {
    out.measured.file = curves_file(out.measured.name, chain, data);
    out.measured.curves = std::make_shared<const MeasuredCurves>(read_measured_curves(Document::load(out.measured.file)));
  }
  const std::filesystem::path folder = data / "hw_profiles" / "measured" / "collectives";
  const FabricCurves up = fabric_curves(chain, "scale_up", "curves", folder), fused = fabric_curves(chain, "scale_up", "fused_all_reduce", folder / "fused"),
                     above = fabric_curves(chain, "scale_out", "curves", folder);
  const HwProfile now = out;
  if (up.timed_on) out.scale_up.timed_on = std::make_shared<const HwProfile>(with_scale_up_of(load_hw_profile(*up.timed_on, data, Curves::left), now));
  if (above.timed_on) out.scale_out.timed_on = std::make_shared<const HwProfile>(with_scale_out_of(load_hw_profile(*above.timed_on, data, Curves::left), now));
  out.scale_up.curves = up.curves, out.scale_up.fused = fused.timed_on ? nullptr : fused.curves;
  out.scale_out.curves = above.curves;
}

std::shared_ptr<const MeasuredCurves> load_moe_curves(const HwProfile& hw) {
  if (hw.measured.file.empty()) return nullptr;
  std::filesystem::path file = hw.measured.file;
  file.replace_filename(file.stem().string() + "-moe.json");
  if (!std::filesystem::exists(file)) return nullptr;
  return std::make_shared<const MeasuredCurves>(read_measured_curves(Document::load(file)));
}

}  // namespace moesim
