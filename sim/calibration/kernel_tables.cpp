#include "calibration/kernel_tables.h"

#include <algorithm>

namespace moesim {

TimedSeries& series_named(std::vector<TimedSeries>& all, const TimedSeries& names) {
  for (auto s = all.rbegin(); s != all.rend(); ++s)
    if (s->device == names.device && s->framework == names.framework && s->kernel == names.kernel && s->format == names.format) return *s;
  return all.emplace_back(names);
}

void UnansweredRows::add(const std::string& why) {
  const auto found = std::find_if(reasons_.begin(), reasons_.end(), [&](const auto& r) { return r.first == why; });
  if (found == reasons_.end())
    reasons_.emplace_back(why, 1);
  else
    ++found->second;
}

std::vector<TimedSeries> KernelTable::series(const CsvTable& t, std::string_view device, const HwProfile& hw) const {
  UnansweredRows ignored;
  return read(t, device, hw, ignored);
}

std::vector<std::string_view> KernelTable::missing_columns(const CsvTable& t) const {
  std::vector<std::string_view> out = columns();
  std::erase_if(out, [&](std::string_view c) { return t.has(c); });
  return out;
}

std::unique_ptr<KernelModel> KernelTable::shipped(const HwProfile&, const TimedSeries&) const { return nullptr; }

std::vector<std::string> KernelTable::devices(const CsvTable& t) const {
  const std::size_t system = t.column("system");
  std::vector<std::string> out;
  for (std::size_t row = 0; row < t.rows(); ++row) {
    const std::string_view name = t.text(row, system);
    if (name.empty()) t.fail(row, system, "the name of a device or of a machine");
    if (std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
  }
  return out;
}

#define MOESIM_KERNEL_TABLE(maker, name, help) std::unique_ptr<KernelTable> maker();
#include "calibration/builtin.def"
#undef MOESIM_KERNEL_TABLE

Registry<KernelTable> kernel_tables() {
  Registry<KernelTable> out("table");
#define MOESIM_KERNEL_TABLE(maker, name, help) out.add(name, help, maker);
#include "calibration/builtin.def"
#undef MOESIM_KERNEL_TABLE
  return out;
}

}  // namespace moesim
