// A table of measurements: named columns, commas, cells in double quotes or without. Lines that start with '#' before the header are remarks (source, licence).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/reader.h"

namespace moesim {

class CsvTable {
 public:
  /// Throws InputError: no header, a column named twice or not at all, a row of another length ("a.csv:7: found 3 cells, allowed is 9"), a quote
  /// that does not end on its line or stands within a cell.
  static CsvTable parse(std::string text, std::string file);

  const std::vector<std::string>& columns() const;
  bool has(std::string_view column) const;
  std::size_t rows() const;
  /// Remarks without their '#', in file order.
  const std::vector<std::string>& remarks() const;

  /// The index of a column. Throws InputError with the nearest name.
  std::size_t column(std::string_view name) const;

  /// Cells; `row` < rows(), `column` from column(). Numbers out of range are an InputError that names file, line and column.
  std::string_view text(std::size_t row, std::size_t column) const;
  std::int64_t integer(std::size_t row, std::size_t column, IntegerRange = {}) const;
  double number(std::size_t row, std::size_t column, NumberRange = {}) const;

  /// "a.csv:7: COLUMN: found CELL, allowed is ALLOWED".
  [[noreturn]] void fail(std::size_t row, std::size_t column, std::string_view allowed) const;

 private:

  struct Cell {
    std::size_t begin = 0, size = 0;
  };
  std::string text_, file_;
  std::vector<std::string> columns_, remarks_;
  std::vector<Cell> cells_;                 // row-major
  std::vector<std::size_t> lines_;          // of each row, from 1
};

}  // namespace moesim
