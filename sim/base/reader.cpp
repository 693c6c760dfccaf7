#include "base/reader.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/unit_text.h"

namespace moesim {

struct Reader::State {
  const Json* object = nullptr;
  std::string file, path;
  const Json* defaults = nullptr;
  std::vector<std::string> asked;   // every key that someone asked for or ignored
  std::vector<std::string> absent;
};

namespace {

std::string shown(const Json& v) {
  if (v.is_object()) return "an object";
  if (v.is_array()) return "an array";
  if (v.is_string()) return "\"" + shortened(v.get_ref<const std::string&>()) + "\"";
  return shortened(v.dump());
}

std::string text_of(double v) {
  return v == std::floor(v) && std::abs(v) < 1e15 ? std::to_string(static_cast<std::int64_t>(v)) : Json(v).dump();
}

}  // namespace

Reader::Reader(const Json& object, std::string file, std::string path, const Json* defaults)
    : state_(std::make_unique<State>(State{&object, std::move(file), std::move(path), defaults, {}, {}})) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::string& Reader::file() const { return state_->file; }
const std::string& Reader::path() const { return state_->path; }
const std::vector<std::string>& Reader::absent() const { return state_->absent; }

void Reader::fail(std::string_view message) const {
  throw InputError(state_->file + ": " + (state_->path.empty() ? "" : state_->path + ": ") + std::string(message));
}

namespace {

std::string line_at(const Reader& r, std::string_view key, std::string_view message) {
  return r.file() + ": " + (r.path().empty() ? "" : r.path() + ".") + shortened(key) + ": " + std::string(message);
}

[[noreturn]] void missing(const Reader& r, std::string_view key) { throw MissingKey(line_at(r, key, "missing"), key); }

}  // namespace

void Reader::fail(std::string_view key, std::string_view message) const {
  const std::string name(key);
  const bool by_default = state_->defaults && !state_->object->contains(name) && state_->defaults->contains(name);
  throw InputError(line_at(*this, key, message) + (by_default ? "; the file leaves it out, and this is its default" : ""));
}

bool Reader::has(std::string_view key) const {
  const auto it = state_->object->find(std::string(key));
  return it != state_->object->end() && !it->is_null();
}

bool Reader::is_list(std::string_view key) const { return has(key) && state_->object->find(std::string(key))->is_array(); }
bool Reader::is_text(std::string_view key) const { return has(key) && state_->object->find(std::string(key))->is_string(); }

void Reader::ignore(std::string_view key) { state_->asked.emplace_back(key); }

std::vector<std::string> Reader::keys() const {
  std::vector<std::string> out;
  for (const auto& [k, v] : state_->object->items()) out.push_back(k);
  return out;
}

std::vector<std::string> Reader::unread() const {
  std::vector<std::string> out;
  for (const auto& [k, v] : state_->object->items())
    if (!k.starts_with("_") && std::find(state_->asked.begin(), state_->asked.end(), k) == state_->asked.end()) out.push_back(k);
  return out;
}

std::string Reader::suggestion(std::string_view key) const { return did_you_mean(key, state_->asked); }

void Reader::done() const {
  const std::vector<std::string> left = unread();
  if (!left.empty()) fail(left.front(), "unknown key" + suggestion(left.front()));
}

/// The value that a key stands for: null if it says nothing.
const Json* Reader::ask(std::string_view key) {
  state_->asked.emplace_back(key);
  const std::string name(key);
  for (const Json* from : {state_->object, state_->defaults}) {
    if (!from) continue;
    if (const auto it = from->find(name); it != from->end()) return it->is_null() ? nullptr : &*it;
  }
  state_->absent.push_back(name);
  return nullptr;
}

namespace {

[[noreturn]] void wrong(const Reader& r, std::string_view key, const Json& found, const std::string& allowed) {
  r.fail(key, "found " + shown(found) + ", allowed is " + allowed);
}

std::int64_t integer_of(const Reader& r, std::string_view key, const Json& v, IntegerRange range) {
  const std::string allowed = "an integer from " + std::to_string(range.low) + " to " + std::to_string(range.high);
  if (v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) wrong(r, key, v, allowed);
  if (!v.is_number_integer()) wrong(r, key, v, allowed);
  const auto value = v.get<std::int64_t>();
  if (value < range.low || value > range.high) wrong(r, key, v, allowed);
  return value;
}

double number_of(const Reader& r, std::string_view key, const Json& v, NumberRange range) {
  const std::string allowed = "a number from " + text_of(range.low) + (range.high == std::numeric_limits<double>::max() ? " up" : " to " + text_of(range.high));
  if (!v.is_number()) wrong(r, key, v, allowed);
  const auto value = v.get<double>();
  if (!(value >= range.low && value <= range.high)) wrong(r, key, v, allowed);
  return value;
}

template <class Parse>
auto quantity_of(const Reader& r, std::string_view key, const Json& v, const char* example, bool positive, Parse parse) {
  const std::string allowed = std::string("a quantity with a unit such as \"") + example + "\"";
  if (!v.is_string()) wrong(r, key, v, allowed);
  try {
    const auto value = parse(v.get_ref<const std::string&>());
    if (positive && value.count() <= 0) wrong(r, key, v, allowed + ", above zero");
    return value;
  } catch (const InputError& e) {
    const std::string what = e.what();
    if (what.starts_with("found ")) r.fail(key, what);
    throw;
  }
}

const std::string& text_value(const Reader& r, std::string_view key, const Json& v) {
  if (!v.is_string()) wrong(r, key, v, "a string");
  return v.get_ref<const std::string&>();
}

std::size_t choice_of(const Reader& r, std::string_view key, const Json& v, std::span<const std::string_view> allowed) {
  std::string list;
  std::vector<std::string> names(allowed.begin(), allowed.end());
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  if (!v.is_string()) wrong(r, key, v, "one of " + list);
  const auto& found = v.get_ref<const std::string&>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == found) return i;
  wrong(r, key, v, "one of " + list + did_you_mean(found, names));
}

const Json& array_of(const Reader& r, std::string_view key, const Json& v, const char* of) {
  if (!v.is_array()) wrong(r, key, v, std::string("an array of ") + of);
  return v;
}

std::string element(std::string_view key, std::size_t i) { return shortened(key) + "." + std::to_string(i); }

}  // namespace

// Each key is read by one rule, required or optional.
#define MOESIM_READ(Type, name, params, call)                                   \
  std::optional<Type> Reader::find_##name params {                              \
    const Json* v = ask(key);                                                   \
    if (!v) return std::nullopt;                                                \
    return call;                                                                \
  }

MOESIM_READ(std::string, text, (std::string_view key), text_value(*this, key, *v))
MOESIM_READ(std::int64_t, integer, (std::string_view key, IntegerRange range), integer_of(*this, key, *v, range))
MOESIM_READ(double, number, (std::string_view key, NumberRange range), number_of(*this, key, *v, range))
MOESIM_READ(bool, flag, (std::string_view key), v->is_boolean() ? v->get<bool>() : (wrong(*this, key, *v, "true or false"), false))
MOESIM_READ(Bytes, bytes, (std::string_view key), quantity_of(*this, key, *v, "80 GB", true, parse_bytes))
MOESIM_READ(Bandwidth, bandwidth, (std::string_view key), quantity_of(*this, key, *v, "450 GB/s", true, parse_bandwidth))
MOESIM_READ(Time, time, (std::string_view key), quantity_of(*this, key, *v, "2 us", false, parse_time))
MOESIM_READ(FlopRate, flop_rate, (std::string_view key), quantity_of(*this, key, *v, "989 TFLOP/s", true, parse_flop_rate))
MOESIM_READ(std::size_t, choice, (std::string_view key, std::span<const std::string_view> allowed), choice_of(*this, key, *v, allowed))
#undef MOESIM_READ

std::optional<Reader> Reader::find_object(std::string_view key) {
  const Json* v = ask(key);
  if (!v) return std::nullopt;
  if (!v->is_object()) wrong(*this, key, *v, "an object");
  return Reader(*v, state_->file, (state_->path.empty() ? "" : state_->path + ".") + shortened(key));
}

namespace {

template <class T>
T required(const Reader& r, std::string_view key, std::optional<T> v) {
  if (!v) missing(r, key);
  return std::move(*v);
}

}  // namespace

std::string Reader::text(std::string_view key) { return required(*this, key, find_text(key)); }
std::int64_t Reader::integer(std::string_view key, IntegerRange range) { return required(*this, key, find_integer(key, range)); }
double Reader::number(std::string_view key, NumberRange range) { return required(*this, key, find_number(key, range)); }
bool Reader::flag(std::string_view key) { return required(*this, key, find_flag(key)); }
Bytes Reader::bytes(std::string_view key) { return required(*this, key, find_bytes(key)); }
Bandwidth Reader::bandwidth(std::string_view key) { return required(*this, key, find_bandwidth(key)); }
Time Reader::time(std::string_view key) { return required(*this, key, find_time(key)); }
FlopRate Reader::flop_rate(std::string_view key) { return required(*this, key, find_flop_rate(key)); }
std::size_t Reader::choice(std::string_view key, std::span<const std::string_view> allowed) { return required(*this, key, find_choice(key, allowed)); }
Reader Reader::object(std::string_view key) { return required(*this, key, find_object(key)); }

std::vector<Reader> Reader::objects(std::string_view key) {
  const Json* v = ask(key);
  if (!v) missing(*this, key);
  std::vector<Reader> out;
  for (const Json& e : array_of(*this, key, *v, "objects")) {
    if (!e.is_object()) wrong(*this, element(key, out.size()), e, "an object");
    out.emplace_back(e, state_->file, (state_->path.empty() ? "" : state_->path + ".") + element(key, out.size()));
  }
  return out;
}

std::vector<std::string> Reader::texts(std::string_view key) { return required(*this, key, find_texts(key)); }
std::vector<std::int64_t> Reader::integers(std::string_view key, IntegerRange range) { return required(*this, key, find_integers(key, range)); }

std::optional<std::vector<std::string>> Reader::find_texts(std::string_view key) {
  const Json* v = ask(key);
  if (!v) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& e : array_of(*this, key, *v, "strings")) out.push_back(text_value(*this, element(key, out.size()), e));
  return out;
}

std::optional<std::vector<std::int64_t>> Reader::find_integers(std::string_view key, IntegerRange range) {
  const Json* v = ask(key);
  if (!v) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const Json& e : array_of(*this, key, *v, "integers")) out.push_back(integer_of(*this, element(key, out.size()), e, range));
  return out;
}

std::vector<double> Reader::numbers(std::string_view key, NumberRange range) {
  const Json* v = ask(key);
  if (!v) missing(*this, key);
  std::vector<double> out;
  for (const Json& e : array_of(*this, key, *v, "numbers")) out.push_back(number_of(*this, element(key, out.size()), e, range));
  return out;
}

}  // namespace moesim
