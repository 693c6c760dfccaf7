// Any bytes as what nccl-tests printed: an InputError of one line, or rows that a machine's predictions can be laid beside.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "one_line.h"
#include "validation/collectives.h"

using namespace moesim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  one_line_or_fine([&] {
    const NcclTestsLog log = parse_nccl_tests(text, "fuzz.txt");
    if (log.rows.empty()) throw InternalError("a log without rows");
    if (log.gpus > 64) return;
    (void)to_text(compare_collectives(collective_test("all_reduce"), log, "fuzz.txt", std::nullopt, hw));
  });
  return 0;
}
