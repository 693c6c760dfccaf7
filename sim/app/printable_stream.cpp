#include "app/printable_stream.h"

#include "base/error.h"
#include "base/json.h"

namespace moesim {

void PrintableStream::Buffer::pass_on() {
  to_ << printable(line_);
  line_.clear();
}

void PrintableStream::Buffer::put(char c) {
  if (c != '\n' && c != '\t') {
    line_ += c;
    return;
  }
  pass_on();
  to_ << c;
}

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (c != traits_type::eof()) put(traits_type::to_char_type(c));
  return to_ ? traits_type::not_eof(c) : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text, std::streamsize n) {
  for (std::streamsize i = 0; i < n; ++i) put(text[i]);
  return to_ ? n : 0;
}

int PrintableStream::Buffer::sync() {
  pass_on();
  return to_.flush() ? 0 : -1;
}

bool is_utf8(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::type_error&) { return false; }
}

}  // namespace moesim
