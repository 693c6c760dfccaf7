// A JSON object being consumed. Each key is asked for once, by the code that needs it; done() then refuses what nobody asked
// for. All errors are InputError with one line:
//
//   scenarios/a.json: parallel.tpp: unknown key; did you mean "tp"?
//   scenarios/a.json: parallel.tp: found -2, allowed is an integer from 1 to 4294967295
//   scenarios/a.json: batch.seq_length: missing
//
// `find_*` return nothing if the key is absent or null; the others throw MissingKey.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/units.h"

namespace moesim {

struct IntegerRange {
  std::int64_t low = 1;
  std::int64_t high = std::numeric_limits<std::uint32_t>::max();
};

struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
};

class Reader {
 public:
  /// `defaults`, if given, is an object that says what keys mean that `object` leaves out (null there: nothing). Both outlive the Reader.
  Reader(const nlohmann::ordered_json& object, std::string file, std::string path, const nlohmann::ordered_json* defaults = nullptr);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  bool has(std::string_view key) const;  // present in the object itself and not null; does not consume
  bool is_list(std::string_view key) const;  // for keys that may be one value or a list of them
  bool is_text(std::string_view key) const;

  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key, IntegerRange = {});
  double number(std::string_view key, NumberRange = {});
  bool flag(std::string_view key);
  Bytes bytes(std::string_view key);          // quantities are strings with a unit and > 0
  Bandwidth bandwidth(std::string_view key);
  Time time(std::string_view key);            // >= 0
  FlopRate flop_rate(std::string_view key);
  /// One of `allowed`; returns its index.
  std::size_t choice(std::string_view key, std::span<const std::string_view> allowed);
  Reader object(std::string_view key);
  std::vector<Reader> objects(std::string_view key);        // array of objects
  std::vector<std::string> texts(std::string_view key);     // array of strings
  std::vector<std::int64_t> integers(std::string_view key, IntegerRange = {});
  std::vector<double> numbers(std::string_view key, NumberRange = {});

  std::optional<std::string> find_text(std::string_view key);
  std::optional<std::int64_t> find_integer(std::string_view key, IntegerRange = {});
  std::optional<double> find_number(std::string_view key, NumberRange = {});
  std::optional<bool> find_flag(std::string_view key);
  std::optional<Bytes> find_bytes(std::string_view key);
  std::optional<Bandwidth> find_bandwidth(std::string_view key);
  std::optional<Time> find_time(std::string_view key);
  std::optional<FlopRate> find_flop_rate(std::string_view key);
  std::optional<std::size_t> find_choice(std::string_view key, std::span<const std::string_view> allowed);
  std::optional<Reader> find_object(std::string_view key);
  std::optional<std::vector<std::string>> find_texts(std::string_view key);
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view key, IntegerRange = {});

  /// Keys of the object, in file order (for maps whose keys are data). Consumes nothing.
  std::vector<std::string> keys() const;
  /// Keys nobody asked for yet. Keys that start with "_" are remarks and never listed.
  std::vector<std::string> unread() const;
  /// Keys that were asked for and stand neither in the object nor among its defaults, in the order of asking.
  const std::vector<std::string>& absent() const;
  /// `; did you mean "X"?` for the key that was asked for and is nearest to `key`, or "".
  std::string suggestion(std::string_view key) const;
  /// Throws for the first unread key, with its suggestion.
  void done() const;
  /// Marks a key as known without reading it.
  void ignore(std::string_view key);

  /// "file: path.key: message".
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
  /// "file: path: message".
  [[noreturn]] void fail(std::string_view message) const;
  const std::string& file() const;
  const std::string& path() const;

 private:
  struct State;
  const nlohmann::ordered_json* ask(std::string_view key);
  std::unique_ptr<State> state_;
};

}  // namespace moesim
