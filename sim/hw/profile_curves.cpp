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

/// The curves that `fabric` ("scale_up") of a chain of profiles ends up with: those that the nearest names under `key`, unless one that comes before it
/// changes what was measured. Bandwidths may change: times follow.
std::shared_ptr<const CollectiveCurves> fabric_curves(const std::vector<Document>& chain, const std::string& fabric, const std::string& key, const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 7> kFree{"per_gpu", "per_pair", "domain", "curves", "fused_all_reduce", "fabric", "topology"};
  for (const Document& d : chain) {
    Reader root = d.root();
    if (!root.has(fabric)) continue;
    Reader in = root.object(fabric);
    if (in.has(key)) return std::make_shared<const CollectiveCurves>(read_collective_curves(Document::load(named_by(in, key, d, folder))));
    if (in.has("curves")) return nullptr;   // of another machine
    for (const std::string& k : in.keys())
      if (!k.starts_with("_") && std::find(kFree.begin(), kFree.end(), k) == kFree.end()) return nullptr;
  }
  return nullptr;
}

}  // namespace

void read_curves(HwProfile& out, const std::vector<Document>& chain, const std::filesystem::path& data) {
  if (!out.measured.name.empty()) {
    out.measured.file = curves_file(out.measured.name, chain, data);
    out.measured.curves = std::make_shared<const MeasuredCurves>(read_measured_curves(Document::load(out.measured.file)));
  }
  const std::filesystem::path folder = data / "hw_profiles" / "measured" / "collectives";
  out.scale_up.curves = fabric_curves(chain, "scale_up", "curves", folder);
  out.scale_up.fused = fabric_curves(chain, "scale_up", "fused_all_reduce", folder / "fused");
  out.scale_out.curves = fabric_curves(chain, "scale_out", "curves", folder);
}

std::shared_ptr<const MeasuredCurves> load_moe_curves(const HwProfile& hw) {
  if (hw.measured.file.empty()) return nullptr;
  std::filesystem::path file = hw.measured.file;
  file.replace_filename(file.stem().string() + "-moe.json");
  if (!std::filesystem::exists(file)) return nullptr;
  return std::make_shared<const MeasuredCurves>(read_measured_curves(Document::load(file)));
}

}  // namespace moesim
