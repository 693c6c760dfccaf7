// Any bytes as a table, plain and packed: an InputError of one line, or a table whose cells can be asked for.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "calibration/kernel_tables.h"
#include "calibration/table_file.h"
#include "one_line.h"

using namespace moesim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  one_line_or_fine([&] {
    const CsvTable t = CsvTable::parse(text, "fuzz.csv");
    for (std::size_t row = 0; row < t.rows(); ++row)
      for (std::size_t column = 0; column < t.columns().size(); ++column) {
        (void)t.text(row, column);
        one_line_or_fine([&] { (void)t.integer(row, column); });
        one_line_or_fine([&] { (void)t.number(row, column); });
      }
    const auto kinds = kernel_tables();
    for (const auto& kind : kinds.entries()) one_line_or_fine([&] { (void)kind.make()->devices(t); });
  });
  one_line_or_fine([&] { (void)CsvTable::parse(unpacked_xz(text, "fuzz.csv.xz", 1 << 20), "fuzz.csv.xz"); });
  return 0;
}
