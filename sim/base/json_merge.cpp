#include "base/json_merge.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/json.h"

namespace moesim {

namespace {

bool is_remark(const std::string& key) { return key.starts_with("_"); }

/// Only numbers as keys, and at least one.
bool numbers_entries(const Json& over) {
  bool any = false;
  for (const auto& [key, unused] : over.items()) {
    if (is_remark(key)) continue;
    if (!list_index(key)) return false;
    any = true;
  }
  return any;
}

void merge_entries(Json& list, const Json& over, const std::string& file, Null null, const std::string& path) {
  for (const auto& [key, value] : over.items()) {
    if (is_remark(key)) continue;
    const std::size_t i = *list_index(key);
    if (i >= list.size()) throw InputError(file + ": " + path + ": " + "found entry " + shortened(key) + ", but the list has " + entries(list.size()));
    merge_json(list[i], value, file, null, joined(path, key));
  }
}

}  // namespace

std::optional<std::size_t> list_index(std::string_view text) {
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || stop != text.data() + text.size() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return index;
}

std::string joined(const std::string& path, std::string_view key) { return path.empty() ? std::string(key) : path + "." + std::string(key); }

std::string entries(std::size_t size) {
  return size == 0 ? "no entries" : size == 1 ? "one entry, 0" : std::to_string(size) + " entries, 0 to " + std::to_string(size - 1);
}

void merge_json(Json& base, const Json& over, const std::string& file, Null null, const std::string& path) {
  if (!over.is_object()) {
    base = over;
    return;
  }
  if (base.is_array() && numbers_entries(over)) return merge_entries(base, over, file, null, path);
  if (!base.is_object()) base = Json::object();
  for (const auto& [key, value] : over.items()) {
    if (value.is_null() && null == Null::removes) base.erase(key);
    else merge_json(base[key], value, file, null, joined(path, key));
  }
}

}  // namespace moesim
