// Any bytes: an InputError of one line, or a document that reads back as itself and takes overrides.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/json.h"
#include "one_line.h"

using namespace moesim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  one_line_or_fine([&] {
    const Document d = Document::parse(text, "fuzz.json");
    if (Document::parse(d.json().dump(), "fuzz.json").json() != d.json()) throw InternalError("a document reads back as another one");
    (void)d.merged(d);
  });
  // The same bytes as `--set path=value`.
  one_line_or_fine([&] { (void)Document::parse(R"({"parallel": {"tp": 1}})", "fuzz.json").with(text); });
  return 0;
}
