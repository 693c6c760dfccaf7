#include "validation/kernel_files.h"

#include <algorithm>

#include "base/document.h"
#include "base/error.h"
#include "base/reader.h"
#include "base/unit_text.h"
#include "calibration/table_file.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

bool is_table(const fs::path& p) { return p.extension() == ".csv" || (p.extension() == ".xz" && p.stem().extension() == ".csv"); }

std::string kind_of(const CsvTable& t, const KernelKinds& kinds) {
  for (const auto& [name, kind] : kinds.all())
    if (kind->missing_columns(t).empty()) return name;
  return "";
}

/// Why a table is of no kind; a kind of which only a column or two are missing is named.
std::string no_kind(const CsvTable& t, const KernelKinds& kinds) {
  constexpr std::size_t kFew = 2;
  std::string nearest, list;
  std::size_t fewest = kFew + 1;
  for (const auto& [name, kind] : kinds.all()) {
    const std::vector<std::string_view> missing = kind->missing_columns(t);
    if (missing.size() >= fewest) continue;
    fewest = missing.size();
    nearest = name;
    list.clear();
    for (const std::string_view c : missing) list += (list.empty() ? "" : ", ") + std::string(c);
  }
  if (nearest.empty()) return "has the columns of no kind of table (" + shortened(t.columns().front()) + ", ...)";
  return "as a table of " + nearest + " it lacks " + list;
}

/// The kind of table that these column names make, or why they make none.
struct Head {
  std::string kind, why_not;
};

Head head_of(std::string_view text, const std::string& name, const KernelKinds& kinds) {
  try {
    const CsvTable t = CsvTable::parse(std::string(table_head(text)), name);
    const std::string kind = kind_of(t, kinds);
    return {kind, kind.empty() ? no_kind(t, kinds) : ""};
  } catch (const InputError& e) {
    const std::string what = e.what();
    return {"", what.substr(what.find(": ") + 2)};
  }
}

DeviceTable& table_named(std::vector<DeviceTable>& all, const std::string& kind, const std::string& device) {
  for (DeviceTable& t : all)
    if (t.kind == kind && t.device == device) return t;
  return all.emplace_back(DeviceTable{kind, device, {}});
}

void append(std::vector<TimedSeries>& all, std::vector<TimedSeries> more) {
  for (TimedSeries& m : more) {
    TimedSeries& s = series_named(all, {m.device, m.table, m.framework, m.kernel, m.format, {}});
    s.unhealthy = s.unhealthy || m.unhealthy;
    s.rows.insert(s.rows.end(), std::make_move_iterator(m.rows.begin()), std::make_move_iterator(m.rows.end()));
  }
}

}  // namespace

std::vector<fs::path> table_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder.string() + ": found no folder of tables");
  std::vector<fs::path> out;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (e.is_regular_file() && is_table(e.path())) out.push_back(e.path());
  std::sort(out.begin(), out.end());
  if (out.empty()) throw InputError(folder.string() + ": found no table, allowed are files NAME.csv and NAME.csv.xz");
  return out;
}

DeviceMachines::DeviceMachines(fs::path data, Curves curves) : data_(std::move(data)), curves_(curves) {
  const Document doc = Document::load(data_ / "validate" / "kernels" / "devices.json");
  Reader in = doc.root();
  for (const std::string& key : in.keys())
    if (!key.starts_with("_")) names_[key] = in.text(key), tables_.insert(key);
  in.done();
  for (const std::string& machine : hw_profile_names(data_)) names_.try_emplace(machine, machine);
}

const HwProfile* DeviceMachines::find(const std::string& device) {
  const auto name = names_.find(device);
  if (name == names_.end()) return nullptr;
  auto found = read_.find(name->second);
  if (found == read_.end()) {
    found = read_.emplace(name->second, whole_.emplace(name->second, load_hw_profile(name->second, data_, curves_)).first->second).first;
    found->second.scale_up.curves = found->second.scale_out.curves = nullptr;
  }
  return &found->second;
}

std::string DeviceMachines::timed_as(const std::string& device) {
  const HwProfile* hw = find(device);
  if (!hw || tables_.contains(device) || !hw->measured.curves) return device;
  return hw->measured.curves->device;
}

const HwProfile* DeviceMachines::whole(const std::string& device) { return find(device) ? &whole_.at(names_.at(device)) : nullptr; }

std::vector<std::string> DeviceMachines::devices() const {
  std::vector<std::string> out;
  for (const auto& [device, machine] : names_) out.push_back(device);
  return out;
}

const DeviceTable* KernelFiles::find(const std::string& kind, const std::string& device) const {
  for (const DeviceTable& t : tables)
    if (t.kind == kind && t.device == device) return &t;
  return nullptr;
}

KernelKinds::KernelKinds() {
  const Registry<KernelTable> registry = kernel_tables();
  for (const std::string& name : registry.names()) kinds_[name] = registry.make(name);
}

KernelFiles read_kernel_files(const fs::path& folder, const KernelKinds& kinds, DeviceMachines& machines,
                              const std::function<bool(const std::string&)>& wanted_kind,
                              const std::function<bool(const std::string&)>& wanted_device) {
  KernelFiles out;
  for (const fs::path& file : table_files(folder)) {
    const std::string name = file.filename().string();
    std::string text = read_table_text(file);
    // The column names decide first: a file that is no table of timings need not be a table at all.
    const Head head = head_of(text, name, kinds);
    if (head.kind.empty()) {
      out.skipped.emplace_back(name, head.why_not);
      continue;
    }
    if (!wanted_kind(head.kind)) continue;
    const CsvTable t = CsvTable::parse(std::move(text), file.string());
    const KernelTable* reader = kinds.all().at(head.kind).get();
    for (const std::string& device : reader->devices(t)) {
      out.devices.insert(device);
      if (!wanted_device(device)) continue;
      const std::string whose = name + ", " + shortened(device);
      const HwProfile* hw = machines.find(device);
      if (!hw) {
        out.skipped.emplace_back(whose, "no device of a table and no machine" + did_you_mean(device, machines.devices()));
        continue;
      }
      UnansweredRows unanswered;
      append(table_named(out.tables, head.kind, device).series, reader->read(t, device, *hw, unanswered));
      for (const auto& [why, rows] : unanswered.reasons()) out.skipped.emplace_back(whose, counted(rows, "row") + ": " + why);
    }
  }
  return out;
}

}  // namespace moesim
