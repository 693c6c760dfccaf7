// Any bytes as a hardware profile, as measured curves and as a stack: a value or an InputError, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "hw/profile.h"
#include "hw/stack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path folder = MOESIM_SOURCE_DIR;
  try {
    (void)moesim::load_hw_profile(moesim::Document::parse(text, "fuzz.json"), folder);
  } catch (const moesim::InputError&) {
  }
  try {
    (void)moesim::read_measured_curves(moesim::Document::parse(text, "fuzz.json"));
  } catch (const moesim::InputError&) {
  }
  try {
    (void)moesim::load_stack(moesim::Document::parse(text, "fuzz.json"), folder);
  } catch (const moesim::InputError&) {
  }
  return 0;
}
