#include "train/scenario/section.h"

namespace moesim {

Section::Section(Reader reader, std::vector<std::string>& defaults) : reader_(std::move(reader)), defaults_(&defaults) {}

void Section::note(std::string_view key, const Json& value) {
  const std::string place = reader_.path().empty() ? std::string(key) : reader_.path() + "." + std::string(key);
  defaults_->push_back(place + " = " + (value.is_string() ? value.get<std::string>() : value.dump()));
  mirror(key, value);
}

std::string Section::text(std::string_view key) {
  std::string value = reader_.text(key);
  mirror(key, value);
  return value;
}

std::int64_t Section::integer(std::string_view key, IntegerRange range) {
  const std::int64_t value = reader_.integer(key, range);
  mirror(key, value);
  return value;
}

std::string Section::text_or(std::string_view key, std::string_view fallback) {
  if (const std::optional<std::string> value = find_text(key)) return *value;
  note(key, std::string(fallback));
  return std::string(fallback);
}

std::int64_t Section::integer_or(std::string_view key, IntegerRange range, std::int64_t fallback) {
  if (const std::optional<std::int64_t> value = reader_.find_integer(key, range)) {
    mirror(key, *value);
    return *value;
  }
  note(key, fallback);
  return fallback;
}

double Section::number_or(std::string_view key, NumberRange range, double fallback) {
  if (const std::optional<double> value = find_number(key, range)) return *value;
  note(key, fallback);
  return fallback;
}

bool Section::flag_or(std::string_view key, bool fallback) {
  if (const std::optional<bool> value = reader_.find_flag(key)) {
    mirror(key, *value);
    return *value;
  }
  note(key, fallback);
  return fallback;
}

std::size_t Section::choice_or(std::string_view key, std::span<const std::string_view> allowed, std::size_t fallback) {
  if (const std::optional<std::size_t> value = reader_.find_choice(key, allowed)) {
    mirror(key, std::string(allowed[*value]));
    return *value;
  }
  note(key, std::string(allowed[fallback]));
  return fallback;
}

std::optional<std::string> Section::find_text(std::string_view key) {
  std::optional<std::string> value = reader_.find_text(key);
  if (value) mirror(key, *value);
  return value;
}

std::optional<double> Section::find_number(std::string_view key, NumberRange range) {
  const std::optional<double> value = reader_.find_number(key, range);
  if (value) mirror(key, *value);
  return value;
}

std::optional<std::int64_t> Section::find_integer(std::string_view key, IntegerRange range) {
  const std::optional<std::int64_t> value = reader_.find_integer(key, range);
  if (value) mirror(key, *value);
  return value;
}

void Section::only_with(std::string_view key, std::string_view condition, std::string_view found) {
  if (reader_.has(key)) fail(key, "only with " + std::string(condition) + ", found " + std::string(found));
  reader_.ignore(key);
}

Section Section::open(std::string_view key) {
  static const Json nothing = Json::object();
  const std::string place = reader_.path().empty() ? std::string(key) : reader_.path() + "." + std::string(key);
  std::optional<Reader> child = reader_.find_object(key);
  return Section(child ? std::move(*child) : Reader(nothing, reader_.file(), place), *defaults_);
}

void Section::close(std::string_view key, Section child) {
  child.done();
  if (!child.resolved_.empty()) mirror(key, std::move(child.resolved_));
}

}  // namespace moesim
