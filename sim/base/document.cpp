#include "base/document.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file_text.h"
#include "base/json.h"
#include "base/json_parser.h"
#include "base/reader.h"

namespace moesim {
namespace {

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

/// "path=value" and the option that says it.
struct Assignment {
  const std::string& option;
  std::string_view text;

  [[noreturn]] void refuse(const std::string& why) const { throw InputError(option + ": found \"" + shortened(text) + "\", " + why); }
};

/// "a.b[0].c" -> a, b, 0, c.
std::vector<std::string> steps_of(std::string_view path, const Assignment& assignment) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = path.find_first_of(".[");
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end, path.size()));
    while (path.starts_with('[')) {
      const std::size_t close = path.find(']');
      const std::string_view inside = path.substr(1, close == std::string_view::npos ? close : close - 1);
      if (close == std::string_view::npos || !list_index(inside)) assignment.refuse("the path before '=' has a [ without a number and ]");
      out.emplace_back(inside);
      path.remove_prefix(close + 1);
    }
    if (path.empty()) break;
    if (path[0] != '.') assignment.refuse("the path before '=' is not names joined by dots");
    path.remove_prefix(1);
    if (path.empty()) out.emplace_back();
  }
  const bool broken = std::any_of(out.begin(), out.end(), [](const std::string& s) { return s.empty(); });
  if (broken || out.size() > kMaxJsonDepth) assignment.refuse("the path before '=' is not names joined by dots");
  return out;
}

/// The value at `path`, made if it is not there; what numbers an entry of a list that is not there becomes a key, see merge_json.
Json& place_of(Json& root, std::string_view path, const Assignment& assignment) {
  Json* at = &root;
  std::string so_far;
  for (const std::string& step : steps_of(path, assignment)) {
    if (at->is_null()) *at = Json::object();
    if (at->is_array()) {
      const std::optional<std::size_t> index = list_index(step);
      if (!index) assignment.refuse("but " + so_far + " is a list: allowed is a number, as in " + so_far + "[0]");
      if (*index >= at->size()) assignment.refuse("but " + so_far + " has " + entries(at->size()));
      at = &(*at)[*index];
    } else if (at->is_object()) {
      at = &(*at)[step];
    } else {
      assignment.refuse("but " + so_far + " is " + shortened(at->dump()) + ", not a section with \"" + shortened(step) + "\" in it");
    }
    so_far = joined(so_far, shortened(step));
  }
  return *at;
}

}  // namespace

Document::Document(std::shared_ptr<const Json> json, std::string name) : json_(std::move(json)), name_(std::move(name)) {}

Document Document::parse(std::string_view text, std::string name) {
  auto json = std::make_shared<const Json>(parse_json(text, name));
  return {std::move(json), std::move(name)};
}

Document Document::load(const std::filesystem::path& file) {
  const std::string text = read_file(file);
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

Document Document::with(std::string_view text, const std::string& option) const {
  const Assignment assignment{option, text};
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) assignment.refuse("allowed is path=value such as parallel.ep=16");
  const std::string_view path = text.substr(0, equals);
  Json out = *json_;
  place_of(out, path, assignment) = value_of(std::string(text.substr(equals + 1)), option + " " + shortened(path));
  return {std::make_shared<const Json>(std::move(out)), name_};
}

}  // namespace moesim
