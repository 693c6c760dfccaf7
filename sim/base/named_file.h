// Data that is chosen by name: models, profiles, stacks, scenarios.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace moesim {

/// Names of the *.json files in `folder` (without the ending), sorted; empty if there is no such folder.
std::vector<std::string> json_names(const std::filesystem::path& folder);

/// A path if `name_or_path` has a '/' or ends in ".json", else folder/NAME.json. Throws InputError when it is not there:
/// `found "qwen3-30b", allowed is a model in FOLDER or a path to a JSON file; did you mean "qwen3-30b-a3b"?`
std::filesystem::path resolve_named_file(const std::string& name_or_path, const std::filesystem::path& folder, const std::string& what);

/// Follows `"extends": NAME|path` upwards and merges, so that keys of the extending document win; "extends" itself is gone. Paths are
/// relative to the document that names them. `facts` are keys that say something about a document as it is: one that changes anything
/// (but remarks, whose keys start with "_") does not inherit them. Throws InputError: not found, a cycle, more than 16 levels.
Document with_extends(const Document& document, const std::filesystem::path& folder, const std::string& what,
                      std::span<const std::string_view> facts = {});

}  // namespace moesim
