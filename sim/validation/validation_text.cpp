#include "validation/validation_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/unit_text.h"
#include "report/table.h"

namespace moesim {
namespace {

constexpr auto kLeft = Table::Align::left;
constexpr auto kRight = Table::Align::right;

/// Percent with one decimal: "4.9 %".
std::string size_percent(double share) {
  const auto tenths = static_cast<std::int64_t>(std::llround(std::abs(share) * 1000));
  std::string out = std::to_string(tenths / 10);
  out += '.';
  out += std::to_string(tenths % 10);
  out += " %";
  return out;
}

std::string percent(double share) {
  std::string out(1, share < 0 ? '-' : '+');
  out += size_percent(share);
  return out;
}

std::string marks(const ValidationRow& r) {
  std::string out;
  if (r.tier > 1) out += 'd';
  if (!r.lacks.empty()) out += 'l';
  if (!r.fits) out += 'm';
  return out;
}

/// A row of figures below a name; a name that is too long for its column stands on a line of its own.
void named_row(Table& t, const std::string& name, std::size_t longest, std::vector<std::string> figures) {
  if (name.size() > longest) t.heading("  " + name);
  figures.insert(figures.begin(), name.size() > longest ? "" : "  " + name);
  t.row(std::move(figures));
}

std::string rows_text(const std::vector<ValidationRow>& rows, std::size_t width) {
  constexpr std::size_t kFigures = 48;   // columns that they take, and the indent
  const std::size_t longest = width > kFigures ? width - kFigures : 0;
  Table t({kLeft, kRight, kRight, kRight, kRight, kLeft});
  t.row({"step time", "GPUs", "measured", "predicted", "error", ""});
  std::string group;
  for (const ValidationRow& r : rows) {
    if (r.group != group) t.heading(group = r.group);
    named_row(t, r.id, longest, {std::to_string(r.gpus), to_text(time_from_seconds(r.measured)), to_text(time_from_seconds(r.predicted)), percent(r.error), marks(r)});
  }
  return t.text(0);
}

std::string summary_text(const std::string& title, const std::vector<GroupSummary>& groups) {
  Table t({kLeft, kRight, kRight, kRight, kRight, kRight});
  t.row({title, "rows", "mean |e|", "median", "bias", "worst"});
  for (const GroupSummary& g : groups)
    t.row({g.group, std::to_string(g.rows), size_percent(g.mape), size_percent(g.median), percent(g.bias), percent(g.worst)});
  return t.text(0);
}

/// Rows whose source gives the peak memory of a GPU, by model.
std::string memory_text(const ValidationReport& r, std::size_t width) {
  if (r.memory.empty()) return "";
  constexpr std::size_t kFigures = 40;
  const std::size_t longest = width > kFigures ? width - kFigures : 0;
  Table t({kLeft, kRight, kRight, kRight});
  t.row({"peak memory", "measured", "predicted", "error"});
  const auto gib = [](double bytes) { return to_text(Bytes{static_cast<std::int64_t>(bytes)}); };
  for (const GroupSummary& g : r.memory) {
    t.heading(g.group);
    for (const ValidationRow& v : r.rows)
      if (v.memory && v.model == g.group) named_row(t, v.id, longest, {gib(v.memory->measured), gib(v.memory->predicted), percent(v.memory->error)});
  }
  return t.text(0) + "\n" + summary_text("model", r.memory) + "\n";
}

/// Reasons with the number of rows they leave out, most frequent first.
std::string left_out_text(const std::vector<LeftOutRow>& rows, std::size_t width) {
  std::map<std::string, int> count;
  for (const LeftOutRow& r : rows) ++count[r.reason];
  std::vector<std::pair<std::string, int>> order(count.begin(), count.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = std::to_string(rows.size()) + " published rows cannot be expressed (validate/published/not_expressible.json):\n";
  for (const auto& [reason, n] : order) out += (n < 10 ? "   " : "  ") + std::to_string(n) + "  " + wrap(reason, width, 6) + "\n";
  return out;
}

}  // namespace

std::string to_text(const ValidationReport& r, std::size_t width) {
  return rows_text(r.rows, width) + "\n" +
         wrap("d  part of the layout is settled by a default; l  the run had what moesim does not simulate yet; m  ran, but moesim says that it does not fit. + is predicted too slow.",
              width, 0) +
         "\n\n" + summary_text("group", r.summary) + "\n" + memory_text(r, width) + left_out_text(r.left_out, width);
}

}  // namespace moesim
