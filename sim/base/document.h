// A JSON text with a name, as read from a file or given on the command line. Parsing refuses what would later be silent:
// duplicate keys, NaN and infinities, numbers that do not fit, bytes after the end, nesting over 64 levels.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_merge.h"

namespace moesim {

class Reader;

class Document {
 public:
  /// Throws InputError: unreadable file, or syntax error with line and column.
  static Document load(const std::filesystem::path& file);
  static Document parse(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  const nlohmann::ordered_json& json() const { return *json_; }

  /// The document as an object being consumed. Throws InputError if it is not an object.
  Reader root() const;

  /// merge_json: keys of `over` win. The name stays.
  Document merged(const Document& over, Null = Null::removes) const;

  Document without(std::string_view key) const;        // of the top level
  Document renamed(std::string name) const;

  /// `--set path=value`, or another `option` that messages name: `path` is dotted ("parallel.tp"), entries of lists by number ("levels[0].latency", "levels.0.latency"); `value` is
  /// JSON if it parses as JSON, else a string. Creates missing objects; never checks names (the consumer's Reader does). Throws InputError
  /// on a malformed assignment, or when the path runs through a value or to an entry that a list does not have.
  Document with(std::string_view assignment, const std::string& option = "--set") const;

 private:
  Document(std::shared_ptr<const nlohmann::ordered_json> json, std::string name);
  std::shared_ptr<const nlohmann::ordered_json> json_;
  std::string name_;
};

}  // namespace moesim
