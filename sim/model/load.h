// Models from Hugging Face style config.json files of every family in models/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/document.h"
#include "model/spec.h"

namespace moesim {

/// Lenient towards keys that cannot matter, warns about unknown ones; a missing or contradictory architecture key is an InputError.
/// `extends` and overrides are resolved by load_model.
ModelSpec parse_model(const Document& config);

/// `name_or_path`: a name under `data/models`, or a path to a config.json. `"extends": NAME` in the file merges that model first.
ModelSpec load_model(const std::string& name_or_path, const std::filesystem::path& data);
/// A config given in place (inside a scenario): may say `"extends": NAME`; a relative path in `extends` is relative to the folder of the
/// document's name.
ModelSpec load_model(const Document& config, const std::filesystem::path& data);

std::vector<std::string> model_names(const std::filesystem::path& data);

}  // namespace moesim
