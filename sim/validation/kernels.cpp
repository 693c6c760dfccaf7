#include "validation/kernels.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "base/error.h"
#include "validation/kernel_files.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;

void refuse_unknown(const std::string& what, const std::string& found, const std::set<std::string>& known) {
  if (found.empty() || known.contains(found)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  throw InputError("--" + what + ": found \"" + shortened(found) + "\", allowed is " + list + did_you_mean(found, names));
}

KernelFiles read(const fs::path& folder, const KernelKinds& all, DeviceMachines& machines, const KernelChoice& choice) {
  const auto is = [](const std::string& wanted) { return [&wanted](const std::string& s) { return wanted.empty() || s == wanted; }; };
  KernelFiles out = read_kernel_files(folder, all, machines, is(choice.table), is(choice.device));
  refuse_unknown("device", choice.device, out.devices);
  return out;
}

void add_cliffs(KernelReport& out, const DeviceTable& t) {
  if (t.kind != "gemm") return;
  for (const TimedSeries& s : t.series)
    if (SeriesCliffs c = gemm_cliffs(s); !c.cliffs.empty()) out.cliffs.push_back(std::move(c));
}

/// What belongs together side by side, in the order in which it first occurs: tables, devices of a table, kernels of a device.
void group(std::vector<SeriesScore>& scores) {
  std::map<std::string, std::size_t> first;
  std::vector<std::pair<std::array<std::size_t, 3>, SeriesScore>> keyed;
  for (SeriesScore& s : scores) {
    const std::string device = s.table + "\n" + s.device, kernel = device + "\n" + s.framework + "\n" + s.kernel;
    const auto place = [&](const std::string& name) { return first.emplace(name, first.size()).first->second; };
    const std::size_t table = place(s.table), of_device = place(device), of_kernel = place(kernel);
    keyed.emplace_back(std::array{table, of_device, of_kernel}, std::move(s));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = std::move(keyed[i].second);
}

DeviceScore device_score(std::span<const SeriesScore> scores) {
  std::vector<double> errors, sizes;
  std::optional<double> simple = 0;
  double form = 0;
  std::int64_t form_rows = 0;
  for (const SeriesScore& s : scores) {
    sizes.insert(sizes.end(), s.left_out_sizes_errors.begin(), s.left_out_sizes_errors.end());
    form += static_cast<double>(s.closed_form.rows) * s.closed_form.mean;
    form_rows += s.closed_form.rows;
    if (s.left_out.rows == 0) continue;
    errors.insert(errors.end(), s.left_out_errors.begin(), s.left_out_errors.end());
    if (!s.baseline) simple.reset();
    if (simple) *simple += static_cast<double>(s.left_out.rows) * s.baseline->mean;
  }
  if (errors.empty()) simple.reset();
  if (simple) *simple /= static_cast<double>(errors.size());
  return {scores.front().table, scores.front().device, static_cast<std::int64_t>(scores.size()), error_stats(errors), error_stats(sizes),
          form / static_cast<double>(std::max<std::int64_t>(form_rows, 1)), simple};
}

}  // namespace

std::vector<DeviceScore> device_scores(const KernelReport& r) {
  std::vector<DeviceScore> out;
  for (auto first = r.scores.begin(); first != r.scores.end();) {
    const auto last = std::find_if(first, r.scores.end(), [&](const SeriesScore& s) { return s.table != first->table || s.device != first->device; });
    out.push_back(device_score({first, last}));
    first = last;
  }
  return out;
}

std::vector<std::string> kernel_table_names() { return kernel_tables().names(); }

KernelReport validate_kernels(const fs::path& data, const KernelChoice& choice) {
  const std::vector<std::string> kinds = kernel_table_names();
  refuse_unknown("table", choice.table, {kinds.begin(), kinds.end()});
  const KernelKinds all;
  DeviceMachines machines(data);
  const fs::path shipped = data / "validate" / "kernels" / "tables";
  const bool own = !choice.own.empty();
  const KernelFiles files = read(own ? choice.own : shipped, all, machines, choice);
  std::set<std::string> timed;
  for (const std::string& device : files.devices) timed.insert({device, machines.timed_as(device)});
  KernelFiles known;
  if (own) known = read_kernel_files(shipped, all, machines, [&](const std::string& kind) { return choice.table.empty() || choice.table == kind; },
                                     [&](const std::string& device) { return timed.contains(device); });
  KernelReport out;
  out.skipped = files.skipped;
  for (const DeviceTable& t : files.tables) {
    const KernelTable& table = *all.all().at(t.kind);
    const HwProfile& hw = *machines.find(t.device);
    const DeviceTable* by = own ? known.find(t.kind, t.device) : &t;
    if (!by) by = known.find(t.kind, machines.timed_as(t.device));
    for (std::size_t i = 0; i < t.series.size(); ++i)
      if (t.series[i].device == t.device)   // a table may add series of machines alike, for fits to see
        out.scores.push_back(own ? score_rows(table, by ? std::span(by->series) : std::span<const TimedSeries>{}, t.series[i], by ? by->device : t.device, hw, *machines.whole(t.device))
                                 : score_folds(table, t.series, i, hw));
    add_cliffs(out, t);
  }
  group(out.scores);
  if (own && out.scores.empty()) {
    std::string why;
    for (const auto& [what, reason] : out.skipped) why += "; " + what + ": " + reason;
    throw InputError("--data: found no row to score in " + choice.own.string() + why);
  }
  return out;
}

}  // namespace moesim
