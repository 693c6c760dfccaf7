#include "validation/validation_report.h"

#include <algorithm>
#include <cmath>

namespace moesim {
namespace {

GroupSummary summary_of(const std::string& group, const std::vector<const ValidationRow*>& rows) {
  GroupSummary out;
  out.group = group;
  out.rows = static_cast<std::int64_t>(rows.size());
  std::vector<double> sizes;
  for (const ValidationRow* r : rows) {
    sizes.push_back(std::abs(r->error));
    out.mape += std::abs(r->error) / static_cast<double>(rows.size());
    out.bias += r->error / static_cast<double>(rows.size());
    if (out.worst_id.empty() || std::abs(r->error) > std::abs(out.worst)) {
      out.worst = r->error;
      out.worst_id = r->id;
    }
  }
  out.median = quantile(std::move(sizes), 0.5);
  return out;
}

}  // namespace

std::vector<GroupSummary> summarise(const std::vector<ValidationRow>& rows) {
  std::vector<std::string> order;
  for (const ValidationRow& r : rows)
    if (std::find(order.begin(), order.end(), r.group) == order.end()) order.push_back(r.group);
  std::vector<GroupSummary> out;
  for (const std::string& group : order) {
    std::vector<const ValidationRow*> members;
    for (const ValidationRow& r : rows)
      if (r.group == group) members.push_back(&r);
    out.push_back(summary_of(group, members));
  }
  return out;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace moesim
