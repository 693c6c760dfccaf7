#include "base/named_file.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/reader.h"

namespace moesim {
namespace fs = std::filesystem;
namespace {

bool is_path(const std::string& text) { return text.find('/') != std::string::npos || text.ends_with(".json"); }

/// Whether a document that extends another says anything of its own.
bool changes_something(const Document& document) {
  for (const auto& [key, value] : document.json().items())
    if (key != "extends" && !key.starts_with("_")) return true;
  return false;
}

Document extended(const Document& document, const fs::path& folder, const std::string& what, std::span<const std::string_view> facts, int levels) {
  if (!document.json().is_object() || !document.json().contains("extends")) return document;
  Reader root = document.root();
  std::string base = root.text("extends");
  if (levels == 0) root.fail("extends", "found \"" + shortened(base) + "\", but the chain of extends is a cycle or longer than 16");
  fs::path file;
  try {
    if (is_path(base) && fs::path(base).is_relative()) base = (fs::path(document.name()).parent_path() / base).string();
    if (!is_path(base) && !fs::exists(folder / (base + ".json"))) file = resolve_named_file(base, folder, what);
    else file = is_path(base) ? fs::path(base) : folder / (base + ".json");
  } catch (const InputError& e) {
    root.fail("extends", e.what());
  }
  Document parent = extended(Document::load(file), folder, what, facts, levels - 1);
  if (changes_something(document))
    for (const std::string_view fact : facts) parent = parent.without(fact);
  return parent.merged(document.without("extends")).renamed(document.name());
}

}  // namespace

std::vector<std::string> json_names(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".json") out.push_back(entry.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

fs::path resolve_named_file(const std::string& name_or_path, const fs::path& folder, const std::string& what) {
  if (is_path(name_or_path)) return name_or_path;
  const std::vector<std::string> names = json_names(folder);
  if (std::binary_search(names.begin(), names.end(), name_or_path)) return folder / (name_or_path + ".json");
  throw InputError("found \"" + shortened(name_or_path) + "\", allowed is a " + what + " in " + folder.string() + " or a path to a JSON file" +
                   did_you_mean(name_or_path, names));
}

Document with_extends(const Document& document, const fs::path& folder, const std::string& what, std::span<const std::string_view> facts) {
  return extended(document, folder, what, facts, 16);
}

}  // namespace moesim
