// What the tables share: cells of a row by the names of their columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "calibration/kernel_tables.h"
#include "calibration/words.h"
#include "model/op.h"

namespace moesim {

class TableRow {
 public:
  TableRow(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}
  std::string text(std::string_view column) const { return std::string(table_.text(row_, table_.column(column))); }
  /// Of a number format, as the shipped tables name it.
  std::string format(std::string_view column = "dtype") const { return format_name(text(column)); }
  /// "dtype int8, known are bfloat16, fp8".
  std::string unknown(std::string_view column, const std::string& known) const {
    return std::string(column) + " " + (text(column).empty() ? "empty" : shortened(text(column))) + ", known are " + known;
  }
  std::string unknown_format(std::string_view column = "dtype") const { return unknown(column, "bfloat16, fp8, fp8_block, nvfp4"); }
  std::int64_t integer(std::string_view column, std::int64_t high = std::int64_t{1} << 31, std::int64_t low = 1) const {
    return table_.integer(row_, table_.column(column), {low, high});
  }
  double seconds(std::string_view column = "latency_us") const { return table_.number(row_, table_.column(column), {1e-3, 1e9}) * 1e-6; }

 private:
  const CsvTable& table_;
  std::size_t row_;
};

/// Those whose column "system" names the device.
inline std::vector<TableRow> rows_of(const CsvTable& t, std::string_view device) {
  const std::size_t system = t.column("system");
  std::vector<TableRow> out;
  for (std::size_t row = 0; row < t.rows(); ++row)
    if (t.text(row, system) == device) out.emplace_back(t, row);
  return out;
}

inline double log2_of(std::int64_t x) { return log2_of(static_cast<double>(x)); }

/// What folds of attention leave out together: "64 heads, 8 kv heads of 128".
inline std::string heads_text(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  return std::to_string(heads) + " heads, " + std::to_string(kv_heads) + " kv heads of " + std::to_string(head_dim);
}

/// Of a format that the machine has no rate for.
inline std::string without_rate(std::string_view format, const HwProfile& hw) { return "dtype " + std::string(format) + ", which " + hw.name + " does not compute in"; }

/// FLOPs and bytes of an op, for the baseline.
inline void add_work(TimedRow& row, const Op& op) {
  row.flops += flops(op).count();
  row.bytes += static_cast<double>(traffic(op).count());
}

}  // namespace moesim
