// Tables of timed kernels and collectives -> the files of hw_profiles/measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moesim {

/// Writes into `folder` DEVICE.json for each device of `data`/validate/kernels/devices.json (or the one named) that `tables` time kernels of, and
/// collectives/DEVICE.json for each that they time collectives of, collectives/fused/DEVICE.json all-reduce kernels of engines. Returns the files. Throws InputError: broken tables, no such
/// folder, nothing to write.
std::vector<std::filesystem::path> write_curves(const std::filesystem::path& data, const std::filesystem::path& tables, const std::filesystem::path& folder,
                                                const std::string& device);

}  // namespace moesim
