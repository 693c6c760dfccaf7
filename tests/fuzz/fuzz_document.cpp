// Any bytes: an InputError of one line, or a document that reads back as itself and takes overrides.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/error.h"
#include "base/json.h"

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
