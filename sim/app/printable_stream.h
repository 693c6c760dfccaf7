// What reaches a terminal: everything that is printed goes through here, so that no name of a user's file, key or model can move the cursor,
// recolour or retitle the terminal.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace moesim {

/// Passes lines on to `to` made printable (base/error.h); new lines and tabs stay. What follows the last new line is held until flush.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& to) : std::ostream(&buffer_), buffer_(to) {}
  ~PrintableStream() override { flush(); }

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize n) override;
    int sync() override;

   private:
    void put(char c);
    void pass_on();
    std::ostream& to_;
    std::string line_;
  };
  Buffer buffer_;
};

/// Whether a text is well-formed UTF-8.
bool is_utf8(const std::string& text);

}  // namespace moesim
