// Any bytes as a table, plain and packed: an InputError of one line, or a table whose cells can be asked for.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "calibration/gemm_table.h"
#include "calibration/table_file.h"

namespace {

using namespace moesim;

template <class F>
void one_line_or_fine(F f) {
  try {
    f();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) throw InternalError("an error of more than one line");
  }
}

}  // namespace

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
    if (is_gemm_table(t)) (void)gemm_series(t);
  });
  one_line_or_fine([&] { (void)CsvTable::parse(unpacked_xz(text, "fuzz.csv.xz", 1 << 20), "fuzz.csv.xz"); });
  return 0;
}
