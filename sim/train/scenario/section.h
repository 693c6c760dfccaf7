// One object of a scenario while it is read: hands out values, notes which ones moesim had to choose, and mirrors everything into
// the resolved scenario. What is mirrored is what was used, so reading the result again gives the same scenario.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/reader.h"

namespace moesim {

class Section {
 public:
  /// `defaults` receives lines like "batch.micro_batch_size = 1"; it must outlive the section.
  Section(Reader reader, std::vector<std::string>& defaults);

  /// Required values.
  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key, IntegerRange range);

  /// Optional values with a default that is noted.
  std::string text_or(std::string_view key, std::string_view fallback);
  std::int64_t integer_or(std::string_view key, IntegerRange range, std::int64_t fallback);
  double number_or(std::string_view key, NumberRange range, double fallback);
  bool flag_or(std::string_view key, bool fallback);
  std::size_t choice_or(std::string_view key, std::span<const std::string_view> allowed, std::size_t fallback);

  /// Optional values without a default.
  std::optional<std::string> find_text(std::string_view key);
  std::optional<double> find_number(std::string_view key, NumberRange range);
  std::optional<std::int64_t> find_integer(std::string_view key, IntegerRange range);

  /// Takes the child object, or an empty one if the key is absent. Give it back with close().
  Section open(std::string_view key);
  /// Refuses unread keys of `child` and mirrors it, unless it is empty.
  void close(std::string_view key, Section child);
  void done() const { reader_.done(); }

  /// Refuses `key` if it is there: it makes sense only with something that this scenario has not. "only with moe.load.law zipf, found
  /// multinomial"
  void only_with(std::string_view key, std::string_view condition, std::string_view found);

  Reader& reader() { return reader_; }
  [[noreturn]] void fail(std::string_view key, std::string_view message) const { reader_.fail(key, message); }
  void mirror(std::string_view key, Json value) { resolved_[std::string(key)] = std::move(value); }
  /// A value that moesim chose.
  void note(std::string_view key, const Json& value);
  const Json& resolved() const { return resolved_; }
  const std::string& file() const { return reader_.file(); }

 private:
  Reader reader_;
  std::vector<std::string>* defaults_;
  Json resolved_ = Json::object();
};

}  // namespace moesim
