// Plain text tables and bars for a terminal: aligned columns, at most `width` characters a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace moesim {

/// Display columns of UTF-8 text (every code point one column: no wide characters are used).
std::size_t columns(std::string_view utf8);

class Table {
 public:
  enum class Align : bool { left, right };
  explicit Table(std::vector<Align> align) : align_(std::move(align)) {}
  void row(std::vector<std::string> cells) { rows_.push_back({std::move(cells), ""}); }
  /// A line (or lines) between rows that widens no column.
  void heading(std::string text) { rows_.push_back({{}, std::move(text)}); }
  /// Rows indented by `indent`, columns two spaces apart; trailing spaces are cut.
  std::string text(std::size_t indent = 2) const;

 private:
  std::vector<Align> align_;
  struct Row {
    std::vector<std::string> cells;
    std::string heading;
  };
  std::vector<Row> rows_;
};

/// "41.6 %", "2.1 %".
std::string share_text(double share);
/// "4.82 s", "59.7 ms".
std::string seconds_text(double seconds);

/// A bar of `share` (0 ... 1) of `width` columns in eighths of a character.
std::string bar(double share, std::size_t width);

/// Words of `text` wrapped to `width` columns, of which `indent` are blank; the first line's are left to the caller. A word that no line holds
/// is broken.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace moesim
