#include "base/named_file.h"

#include <algorithm>

#include "base/error.h"

namespace moesim {
namespace fs = std::filesystem;

bool is_path(const std::string& name_or_path) { return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json"); }

std::string short_name(const std::string& name_or_path) {
  if (!is_path(name_or_path)) return name_or_path;
  const fs::path file = name_or_path;
  return (file.stem() == "config" && file.has_parent_path() ? file.parent_path().filename() : file.stem()).string();
}

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

}  // namespace moesim
