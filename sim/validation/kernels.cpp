#include "validation/kernels.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/document.h"
#include "base/error.h"
#include "base/reader.h"
#include "calibration/kernel_tables.h"
#include "calibration/table_file.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

bool is_table(const fs::path& p) { return p.extension() == ".csv" || (p.extension() == ".xz" && p.stem().extension() == ".csv"); }

std::vector<fs::path> table_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder.string() + ": found no folder of tables");
  std::vector<fs::path> out;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (e.is_regular_file() && is_table(e.path())) out.push_back(e.path());
  std::sort(out.begin(), out.end());
  if (out.empty()) throw InputError(folder.string() + ": found no table, allowed are files NAME.csv and NAME.csv.xz");
  return out;
}

std::map<std::string, std::string> read_devices(const fs::path& file) {
  const Document doc = Document::load(file);
  Reader in = doc.root();
  std::map<std::string, std::string> out;
  for (const std::string& key : in.keys())
    if (!key.starts_with("_")) out[key] = in.text(key);
  in.done();
  return out;
}

std::string kind_of(const CsvTable& t) {
  const Registry<KernelTable> all = kernel_tables();
  for (const std::string& name : all.names()) {
    const auto columns = all.make(name)->columns();
    if (std::all_of(columns.begin(), columns.end(), [&](std::string_view c) { return t.has(c); })) return name;
  }
  return "";
}

std::vector<std::string> devices_of(const CsvTable& t) {
  const std::size_t system = t.column("system");
  std::vector<std::string> out;
  for (std::size_t row = 0; row < t.rows(); ++row)
    if (const std::string name(t.text(row, system)); std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

void refuse_unknown(const std::string& what, const std::string& found, const std::set<std::string>& known) {
  if (found.empty() || known.contains(found)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  throw InputError("--" + what + ": found \"" + shortened(found) + "\", allowed is " + list + did_you_mean(found, names));
}

}  // namespace

std::vector<std::string> kernel_table_names() {
  return kernel_tables().names();
}

KernelReport validate_kernels(const fs::path& data, const fs::path& tables, const std::string& device, const std::string& table) {
  const std::vector<std::string> kinds = kernel_table_names();
  refuse_unknown("table", table, {kinds.begin(), kinds.end()});
  const std::map<std::string, std::string> machines = read_devices(data / "validate" / "kernels" / "devices.json");
  KernelReport out;
  std::set<std::string> seen;
  for (const fs::path& file : table_files(tables)) {
    const CsvTable t = load_csv(file);
    const std::string kind = kind_of(t), name = file.filename().string();
    if (kind.empty()) {
      out.skipped.emplace_back(name, "has the columns of no kind of table (" + shortened(t.columns().front()) + ", ...)");
      continue;
    }
    if (!table.empty() && kind != table) continue;
    for (const std::string& each : devices_of(t)) {
      seen.insert(each);
      if (!device.empty() && each != device) continue;
      const auto machine = machines.find(each);
      if (machine == machines.end()) {
        out.skipped.emplace_back(name + ", " + shortened(each), "validate/kernels/devices.json names no machine for it");
        continue;
      }
      for (SeriesScore& s : kernel_tables().make(kind)->scores(t, each, load_hw_profile(machine->second, data))) out.scores.push_back(std::move(s));
    }
  }
  refuse_unknown("device", device, seen);
  return out;
}

}  // namespace moesim
