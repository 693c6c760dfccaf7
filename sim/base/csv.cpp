#include "base/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/unit_text.h"

namespace moesim {
namespace {

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& what) {
  throw InputError(file + ":" + std::to_string(line) + ": " + what);
}

/// Of one line, for messages.
struct Line {
  const std::string& file;
  std::size_t number;
};

/// Where a cell that begins at `at` ends: at a comma that is not between quotes, or at the end of the line.
std::size_t cell_end(std::string_view line, std::size_t at, Line where) {
  std::size_t from = line.find_first_not_of(" \t", at);
  if (from < line.size() && line[from] == '"') {
    from = line.find('"', from + 1);
    if (from == std::string_view::npos) refuse(where.file, where.number, "found a quote that does not end on its line");
  } else {
    from = at;
  }
  return std::min(line.find(',', from), line.size());
}

std::string_view unquoted(std::string_view cell, Line where) {
  if (cell.find('"') == std::string_view::npos) return cell;
  if (cell.size() < 2 || cell.front() != '"' || cell.find('"', 1) != cell.size() - 1)
    refuse(where.file, where.number, "found the cell " + shortened(cell) + ", allowed are quotes around a cell alone");
  return trimmed(cell.substr(1, cell.size() - 2));
}

std::vector<std::string_view> split(std::string_view line, Line where) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = cell_end(line, at, where);
    out.push_back(unquoted(trimmed(line.substr(at, end - at)), where));
    if (end == line.size()) return out;
    at = end + 1;
  }
}

std::vector<std::string> header(const std::vector<std::string_view>& cells, const std::string& file, std::size_t line) {
  std::vector<std::string> out(cells.begin(), cells.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].empty()) refuse(file, line, "column " + std::to_string(i + 1) + " has no name");
    if (std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) != out.begin() + static_cast<std::ptrdiff_t>(i))
      refuse(file, line, "column \"" + shortened(out[i]) + "\" stands there twice");
  }
  return out;
}

}  // namespace

CsvTable CsvTable::parse(std::string text, std::string file) {
  CsvTable out;
  out.text_ = std::move(text);
  out.file_ = std::move(file);
  const std::string_view all = out.text_;
  std::size_t line = 0;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view now = trimmed(all.substr(at, end - at));
    at = end + 1;
    ++line;
    if (now.empty()) continue;
    if (now.front() == '#') {
      out.remarks_.emplace_back(trimmed(now.substr(1)));
      continue;
    }
    const std::vector<std::string_view> cells = split(now, {out.file_, line});
    if (out.columns_.empty()) {
      out.columns_ = header(cells, out.file_, line);
      continue;
    }
    if (cells.size() != out.columns_.size())
      refuse(out.file_, line, "found " + counted(static_cast<std::int64_t>(cells.size()), "cell") + ", allowed is " + std::to_string(out.columns_.size()));
    for (const std::string_view c : cells) out.cells_.push_back({static_cast<std::size_t>(c.data() - all.data()), c.size()});
    out.lines_.push_back(line);
  }
  if (out.columns_.empty()) throw InputError(out.file_ + ": found no line of column names");
  return out;
}

const std::vector<std::string>& CsvTable::columns() const { return columns_; }
const std::vector<std::string>& CsvTable::remarks() const { return remarks_; }
bool CsvTable::has(std::string_view column) const { return std::find(columns_.begin(), columns_.end(), column) != columns_.end(); }
std::size_t CsvTable::rows() const { return lines_.size(); }

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) throw InputError(file_ + ": column \"" + std::string(name) + "\": missing" + did_you_mean(name, columns_));
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string_view CsvTable::text(std::size_t row, std::size_t column) const {
  const Cell& c = cells_[row * columns_.size() + column];
  return std::string_view(text_).substr(c.begin, c.size);
}

void CsvTable::fail(std::size_t row, std::size_t column, std::string_view allowed) const {
  refuse(file_, lines_[row], columns_[column] + ": found \"" + shortened(text(row, column)) + "\", allowed is " + std::string(allowed));
}

std::int64_t CsvTable::integer(std::size_t row, std::size_t column, IntegerRange range) const {
  const std::string_view t = text(row, column);
  std::int64_t out = 0;
  const auto [stop, error] = std::from_chars(t.data(), t.data() + t.size(), out);
  if (error != std::errc() || stop != t.data() + t.size() || out < range.low || out > range.high)
    fail(row, column, "an integer from " + std::to_string(range.low) + " to " + std::to_string(range.high));
  return out;
}

double CsvTable::number(std::size_t row, std::size_t column, NumberRange range) const {
  const std::string t(text(row, column));
  char* stop = nullptr;
  const double out = std::strtod(t.c_str(), &stop);
  // strtod also takes "inf", "nan" and hexadecimal
  const bool decimal = t.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (t.empty() || !decimal || *stop != '\0' || !std::isfinite(out) || out < range.low || out > range.high)
    fail(row, column, "a number from " + significant(range.low, 3) + (range.high > 1e300 ? "" : " to " + significant(range.high, 3)));
  return out;
}

}  // namespace moesim
