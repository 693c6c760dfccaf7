// Any bytes as a quantity: an InputError, or a value that is finite, not negative and can be printed.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/unit_text.h"

namespace {

using namespace moesim;

template <class Parse>
void check(std::string_view text, Parse parse) {
  try {
    const auto value = parse(text);
    const double count = static_cast<double>(value.count());
    if (!std::isfinite(count) || count < 0) throw InternalError("a quantity that is negative or not finite");
    (void)to_text(value);
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, parse_bytes);
  check(text, parse_bandwidth);
  check(text, parse_time);
  check(text, parse_flop_rate);
  return 0;
}
