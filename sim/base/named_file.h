// Data that is chosen by name: models, profiles, stacks, scenarios.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moesim {

/// Has a '/' or ends in ".json".
bool is_path(const std::string& name_or_path);

/// What a name or a path is called: the name, the file without its ending, the folder of a downloaded config.json.
std::string short_name(const std::string& name_or_path);

/// Names of the *.json files in `folder` (without the ending), sorted; empty if there is no such folder.
std::vector<std::string> json_names(const std::filesystem::path& folder);

/// A path if it is one, else folder/NAME.json. Throws InputError when it is not there:
/// `found "qwen3-30b", allowed is a model in FOLDER or a path to a JSON file; did you mean "qwen3-30b-a3b"?`
std::filesystem::path resolve_named_file(const std::string& name_or_path, const std::filesystem::path& folder, const std::string& what);

}  // namespace moesim
