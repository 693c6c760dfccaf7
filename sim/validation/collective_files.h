// Tables of collectives -> the files of hw_profiles/measured/collectives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moesim {

/// Writes DEVICE.json into `folder`, which is made, for each device (or the one named) of those `tables` whose kind has curves to ship. Returns the files.
/// Throws InputError for broken tables.
std::vector<std::filesystem::path> write_collective_curves(const std::filesystem::path& data, const std::filesystem::path& tables, const std::filesystem::path& folder,
                                                           const std::string& device);

}  // namespace moesim
