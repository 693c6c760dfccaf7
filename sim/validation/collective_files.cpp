#include "validation/collective_files.h"

#include <algorithm>

#include "base/output_file.h"
#include "calibration/collective_fit.h"
#include "calibration/table_file.h"
#include "validation/kernel_files.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

/// The kind that the columns are of, if it is one of curves.
const CurveTable* curve_table(const CsvTable& t, const std::vector<std::unique_ptr<KernelTable>>& kinds) {
  for (const auto& kind : kinds)
    if (kind->missing_columns(t).empty()) return dynamic_cast<const CurveTable*>(kind.get());
  return nullptr;
}

}  // namespace

std::vector<fs::path> write_collective_curves(const fs::path& data, const fs::path& tables, const fs::path& folder, const std::string& device) {
  std::vector<std::unique_ptr<KernelTable>> kinds;
  for (const std::string& name : kernel_tables().names()) kinds.push_back(kernel_tables().make(name));
  DeviceMachines machines(data);
  std::vector<fs::path> out;
  for (const fs::path& file : table_files(tables)) {
    const CsvTable t = load_csv(file);
    const CurveTable* table = curve_table(t, kinds);
    if (!table) continue;
    for (const std::string& each : table->devices(t)) {
      const HwProfile* hw = device.empty() || each == device ? machines.find(each) : nullptr;
      const std::optional<CollectiveCurves> fitted = hw ? fit_collectives(*table, t, each, *hw) : std::nullopt;
      if (!fitted) continue;
      fs::create_directories(folder);
      write_file(out.emplace_back(folder / (each + ".json")), to_text(*fitted));
    }
  }
  return out;
}

}  // namespace moesim
