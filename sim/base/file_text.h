// A whole file as text.
#pragma once

#include <filesystem>
#include <string>

namespace moesim {

/// Throws InputError ("FILE: cannot read: WHY"): a folder, unreadable, or larger than 256 MiB (an endless device ends there).
std::string read_file(const std::filesystem::path& file);

}  // namespace moesim
