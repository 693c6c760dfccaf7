#include "validation/bounds.h"

#include <algorithm>
#include <cmath>

#include "base/document.h"
#include "base/reader.h"
#include "base/unit_text.h"

namespace moesim {
namespace {

constexpr NumberRange kPercent{0, 1000};

std::string percent(double share) { return significant(share * 100, 3) + " %"; }

void check_tighter(const Reader& e, std::string_view key, double now, double before, const std::string& date) {
  if (now > before) e.fail(key, "found " + percent(now) + ", allowed is at most " + percent(before) + " of " + date + ": bounds only tighten");
}

ErrorBound read_history(Reader& in, std::int64_t rows) {
  ErrorBound out{rows, 1e9, 1e9};
  std::vector<Reader> entries = in.objects("history");
  if (entries.empty()) in.fail("history", "found no entry, allowed is one or more");
  std::string last;
  for (Reader& e : entries) {
    const std::string date = e.text("date");
    const double mape = e.number("mape", kPercent) / 100, worst = e.number("worst", kPercent) / 100;
    if (!e.find_text("because")) {
      check_tighter(e, "mape", mape, out.mape, last);
      check_tighter(e, "worst", worst, out.worst, last);
    }
    e.done();
    out.mape = mape;
    out.worst = worst;
    last = date;
  }
  return out;
}

}  // namespace

std::map<std::string, ErrorBound> read_bounds(const std::filesystem::path& file) {
  const Document doc = Document::load(file);
  Reader in = doc.root();
  std::map<std::string, ErrorBound> out;
  for (const std::string& group : in.keys()) {
    if (group.starts_with("_")) continue;
    Reader bound = in.object(group);
    const std::int64_t rows = bound.integer("rows");
    out[group] = read_history(bound, rows);
    bound.done();
  }
  in.done();
  return out;
}

std::vector<GroupSummary> bounded_summaries(const ValidationReport& r) {
  std::vector<GroupSummary> out = r.summary;
  for (GroupSummary g : r.memory) {
    g.group = "peak memory of " + g.group;
    out.push_back(std::move(g));
  }
  return out;
}

std::vector<std::string> missed_bounds(const std::vector<GroupSummary>& summary, const std::map<std::string, ErrorBound>& bounds, bool all_groups) {
  std::vector<std::string> out;
  for (const GroupSummary& g : summary) {
    const auto found = bounds.find(g.group);
    if (found == bounds.end()) {
      out.push_back(g.group + ": no bound in bounds.json");
      continue;
    }
    const ErrorBound& b = found->second;
    if (g.rows < b.rows) out.push_back(g.group + ": " + std::to_string(g.rows) + " rows, at least " + std::to_string(b.rows) + " are due");
    if (g.mape > b.mape) out.push_back(g.group + ": mean |error| " + percent(g.mape) + ", the bound is " + percent(b.mape));
    if (std::abs(g.worst) > b.worst) out.push_back(g.group + ": worst |error| " + percent(std::abs(g.worst)) + " (" + g.worst_id + "), the bound is " + percent(b.worst));
  }
  if (all_groups)
    for (const auto& [group, bound] : bounds)
      if (std::none_of(summary.begin(), summary.end(), [&, &name = group](const GroupSummary& g) { return g.group == name; }))
        out.push_back(group + ": no rows, at least " + std::to_string(bound.rows) + " are due");
  return out;
}

}  // namespace moesim
