#include "base/document.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/reader.h"

namespace moesim {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

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
    if (stack_.size() == kMaxDepth) fail(read() - 1, "nested more than " + std::to_string(kMaxDepth) + " levels deep");
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

std::string kind_of(const Json& value) {
  if (value.is_array()) return "an array";
  return value.is_null() ? "null" : std::string("a ") + value.type_name();
}

Json value_of(const std::string& text, const std::string& name) {
  // What parses as JSON is JSON, and what begins like a list or an object should; anything else is meant as a string.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool meant = first != std::string::npos && (text[first] == '{' || text[first] == '[' || text[first] == '"');
  if (!meant && !Json::accept(text)) return text;
  return Document::parse(text, name).json();
}

[[noreturn]] void refuse_set(std::string_view assignment, const std::string& why) {
  throw InputError("--set: found \"" + shortened(assignment) + "\", " + why);
}

/// "a.b[0].c" -> a, b, 0, c.
std::vector<std::string> steps_of(std::string_view path, std::string_view assignment) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = path.find_first_of(".[");
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end, path.size()));
    while (path.starts_with('[')) {
      const std::size_t close = path.find(']');
      const std::string_view inside = path.substr(1, close == std::string_view::npos ? close : close - 1);
      if (close == std::string_view::npos || !list_index(inside)) refuse_set(assignment, "the path before '=' has a [ without a number and ]");
      out.emplace_back(inside);
      path.remove_prefix(close + 1);
    }
    if (path.empty()) break;
    if (path[0] != '.') refuse_set(assignment, "the path before '=' is not names joined by dots");
    path.remove_prefix(1);
    if (path.empty()) out.emplace_back();
  }
  const bool broken = std::any_of(out.begin(), out.end(), [](const std::string& s) { return s.empty(); });
  if (broken || out.size() > kMaxDepth) refuse_set(assignment, "the path before '=' is not names joined by dots");
  return out;
}

/// The value at `path`, made if it is not there; what numbers an entry of a list that is not there becomes a key, see merge_json.
Json& place_of(Json& root, std::string_view path, std::string_view assignment) {
  Json* at = &root;
  std::string so_far;
  for (const std::string& step : steps_of(path, assignment)) {
    if (at->is_null()) *at = Json::object();
    if (at->is_array()) {
      const std::optional<std::size_t> index = list_index(step);
      if (!index) refuse_set(assignment, "but " + so_far + " is a list: allowed is a number, as in " + so_far + "[0]");
      if (*index >= at->size()) refuse_set(assignment, "but " + so_far + " has " + entries(at->size()));
      at = &(*at)[*index];
    } else if (at->is_object()) {
      at = &(*at)[step];
    } else {
      refuse_set(assignment, "but " + so_far + " is " + shortened(at->dump()) + ", not a section with \"" + shortened(step) + "\" in it");
    }
    so_far = joined(so_far, shortened(step));
  }
  return *at;
}

}  // namespace

Document::Document(std::shared_ptr<const Json> json, std::string name) : json_(std::move(json)), name_(std::move(name)) {}

Document Document::parse(std::string_view text, std::string name) {
  Builder builder(text, name);
  if (!Json::sax_parse(builder.begin(), builder.end(), &builder)) throw InputError(name + ": not JSON");
  return {std::make_shared<const Json>(builder.take()), std::move(name)};
}

Document Document::load(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_directory(status)) throw InputError(file.string() + ": cannot read: it is a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  for (std::vector<char> chunk(1 << 16); in && text.size() <= kMaxBytes;) {   // an endless device ends at the limit
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kMaxBytes) throw InputError(file.string() + ": cannot read: larger than 256 MiB");
  if (!in.eof()) throw InputError(file.string() + ": cannot read: " + (errno ? std::strerror(errno) : "unknown error"));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw InputError(file.string() + ": the file is empty");
  return parse(text, file.string());
}

Reader Document::root() const {
  if (!json_->is_object()) throw InputError(name_ + ": found " + kind_of(*json_) + ", allowed is a JSON object");
  return {*json_, name_, ""};
}

Document Document::merged(const Document& over, Null null) const {
  Json out = *json_;
  merge_json(out, *over.json_, over.name_, null);
  return {std::make_shared<const Json>(std::move(out)), name_};
}

Document Document::without(std::string_view key) const {
  Json out = *json_;
  if (out.is_object()) out.erase(std::string(key));
  return {std::make_shared<const Json>(std::move(out)), name_};
}

Document Document::renamed(std::string name) const { return {json_, std::move(name)}; }

Document Document::with(std::string_view assignment) const {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse_set(assignment, "allowed is path=value such as parallel.ep=16");
  const std::string_view path = assignment.substr(0, equals);
  Json out = *json_;
  place_of(out, path, assignment) = value_of(std::string(assignment.substr(equals + 1)), "--set " + shortened(path));
  return {std::make_shared<const Json>(std::move(out)), name_};
}

}  // namespace moesim
