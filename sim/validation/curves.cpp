#include "validation/curves.h"

#include <set>

#include "base/error.h"
#include "base/output_file.h"
#include "calibration/collective_fit.h"
#include "calibration/device_curves.h"
#include "calibration/exchange_curves.h"
#include "calibration/table_file.h"
#include "validation/kernel_files.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

/// A file of hw_profiles/measured.
struct CurveFile {
  fs::path name;
  std::string text;
};

std::optional<CurveFile> kernels_of(const std::vector<CsvTable>& tables, const CurveChoice& choice, const std::string& device, std::string_view suffix,
                                    DeviceMachines& machines) {
  MeasuredCurves curves = fit_curves(tables, choice, device, *machines.find(device), suffix);
  if (curves.gemms.empty() && curves.forms.empty()) return std::nullopt;
  if (const HwProfile* over_nodes = suffix.empty() ? machines.find(kTimedOverNodes) : nullptr) add_exchanges(curves, tables, *machines.find(device), *over_nodes);
  return CurveFile{device + std::string(suffix) + ".json", to_text(curves)};
}

/// Of a table of collectives, one a device that it names.
std::vector<CurveFile> collectives_of(const CsvTable& t, const KernelKinds& kinds, const std::string& device, DeviceMachines& machines) {
  std::vector<CurveFile> out;
  for (const auto& [name, kind] : kinds.all()) {
    const auto* table = kind->missing_columns(t).empty() ? dynamic_cast<const CurveTable*>(kind.get()) : nullptr;
    if (!table) continue;
    for (const std::string& each : table->devices(t)) {
      const HwProfile* hw = device.empty() || each == device ? machines.find(each) : nullptr;
      if (const std::optional<CollectiveCurves> fitted = hw ? fit_collectives(*table, t, each, *hw) : std::nullopt)
        out.push_back({fs::path("collectives") / table->folder() / (each + ".json"), to_text(*fitted)});
    }
  }
  return out;
}

}  // namespace

std::vector<fs::path> write_curves(const fs::path& data, const fs::path& tables, const fs::path& folder, const std::string& device) {
  if (!fs::is_directory(folder)) throw InputError("--write: found \"" + folder.string() + "\", allowed is a folder that is there");
  const CurveChoice choice = CurveChoice::load(data / "validate" / "kernels" / "curves.json");
  std::vector<CsvTable> all;
  for (const fs::path& file : table_files(tables)) all.push_back(load_csv(file));
  std::vector<CurveFile> files;
  DeviceMachines machines(data, Curves::left);
  const KernelKinds kinds;
  std::set<std::string_view> suffixes;
  for (const auto& [name, kind] : kinds.all()) suffixes.insert(kind->file_suffix());
  for (const std::string& name : machines.devices())
    if (device.empty() || name == device)
      for (const std::string_view suffix : suffixes)
        if (std::optional<CurveFile> file = kernels_of(all, choice, name, suffix, machines)) files.push_back(std::move(*file));
  for (const CsvTable& t : all)
    for (CurveFile& file : collectives_of(t, kinds, device, machines)) files.push_back(std::move(file));
  if (files.empty()) throw InputError("--write: found no curve to write");
  std::vector<fs::path> out;
  for (const CurveFile& file : files) {
    fs::create_directories((folder / file.name).parent_path());
    write_file(out.emplace_back(folder / file.name), file.text);
  }
  return out;
}

}  // namespace moesim
