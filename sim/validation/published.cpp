#include "validation/published.h"

#include <algorithm>

#include "analysis/train_report.h"
#include "base/error.h"
#include "model/count.h"

namespace moesim {
namespace {

std::vector<PublishedRow> rows_of(const std::filesystem::path& folder, const std::string& group) {
  std::vector<PublishedRow> rows = read_published_rows(folder);
  std::vector<std::string> groups;
  for (const PublishedRow& r : rows)
    if (std::find(groups.begin(), groups.end(), r.group) == groups.end()) groups.push_back(r.group);
  std::sort(groups.begin(), groups.end());
  if (!group.empty()) {
    std::string known;
    for (const std::string& g : groups) known += (known.empty() ? "" : ", ") + g;
    std::erase_if(rows, [&](const PublishedRow& r) { return r.group != group; });
    if (rows.empty()) throw InputError("--group: found \"" + group + "\", allowed are " + known + did_you_mean(group, groups));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PublishedRow& a, const PublishedRow& b) { return a.group < b.group; });
  return rows;
}

}  // namespace

ValidationRow validate_row(const PublishedRow& row, const std::filesystem::path& data) {
  const TrainScenario s = read_train_scenario(row.scenario, data);
  const TrainReport report = train(s);
  ValidationRow out;
  out.id = row.id;
  out.group = row.group;
  out.model = s.model.name;
  out.tier = row.tier;
  out.gpus = s.parallel.gpus;
  out.moe = s.model.moe() != nullptr;
  out.predicted = report.step_time_s;
  const double tokens = static_cast<double>(s.global_batch_size) * static_cast<double>(s.seq_length);
  out.measured = step_time_of(row.measured, tokens, static_cast<double>(out.gpus), flops_per_token(s.model, s.seq_length, s.parallel.tp));
  out.error = out.predicted / out.measured - 1;
  out.interval_low = report.interval_low_s;
  out.interval_high = report.interval_high_s;
  out.fits = report.memory.fits();
  if (row.measured_memory) {
    const auto predicted = static_cast<double>(report.memory.stages[report.memory.peak_stage].total().count());
    out.memory = MemoryComparison{predicted, row.measured_memory->bytes(), predicted / row.measured_memory->bytes() - 1, *row.measured_memory};
  }
  out.published = row.measured;
  out.settled = row.settled;
  out.lacks = row.lacks;
  return out;
}

ValidationReport validate_published(const std::filesystem::path& data, const std::string& group) {
  const std::filesystem::path folder = data / "validate" / "published";
  ValidationReport out;
  for (const PublishedRow& row : rows_of(folder, group)) out.rows.push_back(validate_row(row, data));
  out.summary = summarise(out.rows);
  out.memory = summarise_memory(out.rows);
  out.left_out = read_left_out_rows(folder / "not_expressible.json");
  return out;
}

}  // namespace moesim
