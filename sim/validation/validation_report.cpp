#include "validation/validation_report.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace moesim {
namespace {

struct Residual {
  std::string group, id;
  double error = 0;
};

GroupSummary summary_of(const std::string& group, const std::vector<Residual>& all) {
  GroupSummary out;
  out.group = group;
  std::vector<double> sizes;
  for (const Residual& r : all) {
    if (r.group != group) continue;
    sizes.push_back(std::abs(r.error));
    out.bias += r.error;
    if (out.worst_id.empty() || std::abs(r.error) > std::abs(out.worst)) {
      out.worst = r.error;
      out.worst_id = r.id;
    }
  }
  const auto n = static_cast<double>(sizes.size());
  for (const double s : sizes) out.mape += s / n;
  out.bias /= n;
  out.rows = static_cast<std::int64_t>(sizes.size());
  out.median = quantile(std::move(sizes), 0.5);
  return out;
}

/// One summary a group, in the order in which groups first occur.
std::vector<GroupSummary> by_group(const std::vector<Residual>& all) {
  std::vector<GroupSummary> out;
  for (const Residual& r : all)
    if (std::none_of(out.begin(), out.end(), [&](const GroupSummary& g) { return g.group == r.group; })) out.push_back(summary_of(r.group, all));
  return out;
}

}  // namespace

std::vector<GroupSummary> summarise(const std::vector<ValidationRow>& rows) {
  std::vector<Residual> all;
  all.reserve(rows.size());
  for (const ValidationRow& r : rows) all.push_back({r.group, r.id, r.error});
  return by_group(all);
}

std::vector<GroupSummary> summarise_memory(const std::vector<ValidationRow>& rows) {
  std::vector<Residual> all;
  for (const ValidationRow& r : rows)
    if (r.memory) all.push_back({r.model, r.id, r.memory->error});
  return by_group(all);
}

}  // namespace moesim
