// Tables of timed kernels -> the files of hw_profiles/measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moesim {

/// Writes DEVICE.json into `folder` for each device of `data`/validate/kernels/devices.json (or the one named) that `tables` time in a way
/// that `data`/validate/kernels/curves.json chooses. Returns the files. Throws InputError: broken tables, no such device, nothing to write.
std::vector<std::filesystem::path> write_curves(const std::filesystem::path& data, const std::filesystem::path& tables, const std::filesystem::path& folder,
                                                const std::string& device);

}  // namespace moesim
