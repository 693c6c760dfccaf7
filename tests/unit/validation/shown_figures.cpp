#include "unit/validation/shown_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <regex>
#include <sstream>
#include <tuple>

namespace moesim::test {
namespace {

std::string percent(double share, const char* format) {
  char out[32];
  const double tenths = std::round(share * 1000) / 10;
  std::snprintf(out, sizeof out, format, tenths == 0 ? 0.0 : tenths);
  return out;
}

std::string table_row(const GroupSummary& g, bool median) {
  return "| " + g.group + " | " + std::to_string(g.rows) + " | " + percent(g.mape, "%.1f %%") + " | " + (median ? percent(g.median, "%.1f %%") + " | " : "") +
         percent(g.bias, "%+.1f %%") + " | " + percent(g.worst, "%+.1f %%") + " |";
}

std::string current(const ValidationReport& r, const std::string& line) {
  for (const std::vector<GroupSummary>* all : {&r.summary, &r.memory})
    for (const GroupSummary& g : *all)
      if (line.starts_with("| " + g.group + " | ") && line.ends_with(" % |")) return table_row(g, std::count(line.begin(), line.end(), '|') == 7);
  const auto rows_with = [&](auto property) { return std::to_string(std::count_if(r.rows.begin(), r.rows.end(), property)); };
  std::string out = line;
  for (const auto& [before, n, after] : {std::tuple{"simulates ", std::to_string(r.rows.size()), " published"},
                                         {"", std::to_string(r.left_out.size()), " more rows"},
                                         {"the peaks of ", rows_with([](const ValidationRow& v) { return v.memory.has_value(); }), " runs"},
                                         {"", rows_with([](const ValidationRow& v) { return !v.fits; }), " rows that ran are said not to fit"}})
    out = std::regex_replace(out, std::regex(std::string(before) + "[0-9]+" + after), before + n + after);
  return out;
}

}  // namespace

std::string with_figures_of(const ValidationReport& r, const std::string& readme) {
  std::istringstream in(readme);
  std::string out;
  for (std::string line; std::getline(in, line);) out += current(r, line) + "\n";
  return out;
}

}  // namespace moesim::test
