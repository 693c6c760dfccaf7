#include "validation/curves.h"

#include <algorithm>

#include "base/error.h"
#include "base/output_file.h"
#include "calibration/device_curves.h"
#include "calibration/exchange_curves.h"
#include "calibration/table_file.h"
#include "validation/kernel_files.h"

namespace moesim {

std::vector<std::filesystem::path> write_curves(const std::filesystem::path& data, const std::filesystem::path& tables, const std::filesystem::path& folder,
                                                const std::string& device) {
  if (!std::filesystem::is_directory(folder)) throw InputError("--write: found " + folder.string() + ", allowed is a folder");
  const CurveChoice choice = CurveChoice::load(data / "validate" / "kernels" / "curves.json");
  std::vector<CsvTable> all;
  for (const std::filesystem::path& file : table_files(tables)) all.push_back(load_csv(file));
  std::vector<std::filesystem::path> out;
  DeviceMachines machines(data, Curves::left);
  for (const std::string& name : machines.devices()) {
    if (!device.empty() && name != device) continue;
    MeasuredCurves curves = fit_curves(all, choice, name, *machines.find(name));
    if (curves.gemm.empty() && curves.forms.empty()) continue;
    if (const HwProfile* over_nodes = machines.find(kTimedOverNodes)) add_exchanges(curves, all, *machines.find(name), *over_nodes);
    write_file(out.emplace_back(folder / (name + ".json")), to_text(curves));
  }
  if (out.empty()) throw InputError("--write: found no curve to write, chosen are those of validate/kernels/curves.json");
  return out;
}

}  // namespace moesim
