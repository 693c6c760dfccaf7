// Where models/, hw_profiles/ and scenarios/ live: $MOESIM_DATA, else share/moesim beside the installed binary, else the source tree
// that this binary was built from.
#pragma once

#include <filesystem>

namespace moesim {

/// Throws InputError when none of these has a models/ folder.
std::filesystem::path data_dir();

}  // namespace moesim
