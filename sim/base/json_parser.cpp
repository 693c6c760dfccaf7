#include "base/json_parser.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace moesim {
namespace {

/// Line and column (from 1, in bytes) of a position in a text.
std::string line_and_column(std::string_view text, std::size_t position) {
  position = std::min(position, text.size());
  std::size_t line = 1, start = 0;
  for (std::size_t i = 0; i < position; ++i)
    if (text[i] == '\n') {
      ++line;
      start = i + 1;
    }
  return std::to_string(line) + ":" + std::to_string(position - start + 1);
}

/// Hands a text to the parser and remembers how far it has read, which its events do not say.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *read_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& o) const { return at_ == o.at_; }

 private:
  const char* at_;
  const char** read_;
};

/// Builds the value from parser events and refuses what would later be silent. Iterative: depth costs no stack.
class Builder {
 public:
  Builder(std::string_view text, const std::string& name) : text_(text), name_(name), read_(text.data()) {}
  Cursor begin() { return {text_.data(), &read_}; }
  Cursor end() { return {text_.data() + text_.size(), &read_}; }
  Json take() { return std::move(root_); }

  bool null() { return put(nullptr); }
  bool boolean(bool v) { return put(v); }
  bool number_integer(Json::number_integer_t v) { return put(v); }
  bool number_unsigned(Json::number_unsigned_t v) { return put(v); }
  bool number_float(Json::number_float_t v, const std::string& digits) {
    if (digits.find_first_of(".eE") == std::string::npos) refuse_number(digits, "does not fit into 64 bits");
    if (!std::isfinite(v)) refuse_number(digits, "is too large");
    return put(v);
  }
  bool string(std::string& v) { return put(std::move(v)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& k) {
    if (!seen_.back().insert(k).second) fail(quote_before(), "the key \"" + shortened(k) + "\" stands twice in one object");
    keys_.back() = std::move(k);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& e) {
    if (e.id == 406) refuse_number(token, "is too large");
    const std::string what = e.what();
    const std::size_t reason = what.find(" - ");
    std::string why = reason == std::string::npos ? "broken text near \"" + token + "\"" : what.substr(reason + 3);
    if (const std::size_t last = why.find("; last read:"); last != std::string::npos) {
      const std::size_t end = why.find("'; expected", last);
      why = why.substr(0, last) + (end == std::string::npos ? "" : why.substr(end + 1));
    }
    position = position == 0 ? 0 : position - 1;
    throw InputError(name_ + ":" + line_and_column(text_, position) + ": not JSON: " + habit(position).value_or(one_line(why)));
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw InputError(name_ + ":" + line_and_column(text_, position) + ": " + message);
  }

  std::size_t read() const { return static_cast<std::size_t>(read_ - text_.data()); }

  /// The parser may have read one character past the number.
  [[noreturn]] void refuse_number(const std::string& digits, const std::string& why) const {
    const std::size_t last = text_.substr(0, read()).find_last_of("0123456789");
    fail(last == std::string_view::npos || last + 1 < digits.size() ? 0 : last + 1 - digits.size(), "the number " + shortened(digits) + " " + why);
  }

  /// Position of the opening quote of the string that ends where the parser stands.
  std::size_t quote_before() const {
    std::size_t at = read() - 1;
    while (at > 0) {
      --at;
      std::size_t slashes = 0;
      while (slashes < at && text_[at - 1 - slashes] == '\\') ++slashes;
      if (text_[at] == '"' && slashes % 2 == 0) break;
    }
    return at;
  }

  /// What other formats allow at this place and JSON does not.
  std::optional<std::string> habit(std::size_t position) const {
    const std::string_view rest = text_.substr(std::min(position, text_.size()));
    const std::size_t before = text_.substr(0, position).find_last_not_of(" \t\r\n");
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) return "the file is UTF-16, save it as UTF-8";
    if (rest.starts_with("/") || rest.starts_with("#")) return "there are no comments, remarks are keys that begin with _";
    if (rest.starts_with("'")) return "texts stand in double quotes";
    const bool closes = rest.starts_with("}") || rest.starts_with("]");
    if (closes && before != std::string_view::npos && text_[before] == ',') return "there is no comma after the last";
    return std::nullopt;
  }

  static std::string one_line(const std::string& text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E ? '?' : c;
    return out.size() > 160 ? out.substr(0, 160) + "..." : out;
  }

  Json& place(Json value) {
    if (stack_.empty()) return root_ = std::move(value);
    Json& top = *stack_.back();
    if (top.is_array()) return top.get_ref<Json::array_t&>().emplace_back(std::move(value));
    // The key is new (seen_): append without the linear search of operator[].
    auto& members = top.get_ref<Json::object_t&>();
    static_cast<std::vector<Json::object_t::value_type>&>(members).emplace_back(keys_.back(), std::move(value));
    return members.back().second;
  }

  bool put(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (stack_.size() == kMaxJsonDepth) fail(read() - 1, "nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    stack_.push_back(&place(std::move(value)));
    keys_.emplace_back();
    seen_.emplace_back();
    return true;
  }

  bool close() {
    stack_.pop_back();
    keys_.pop_back();
    seen_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  const char* read_;
  Json root_;
  std::vector<Json*> stack_;
  std::vector<std::string> keys_;
  std::vector<std::set<std::string>> seen_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  Builder builder(text, name);
  if (!Json::sax_parse(builder.begin(), builder.end(), &builder)) throw InputError(name + ": not JSON");
  return builder.take();
}

}  // namespace moesim
