// Tables of timed kernels and collectives -> the files of hw_profiles/measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace moesim {

/// Writes into `folder` DEVICE.json for each device of `data`/validate/kernels/devices.json (or the one named) that `tables` time kernels of,
/// collectives/DEVICE.json for each that they time collectives of, and collectives/fused/DEVICE.json for each that they time all-reduce kernels of
/// engines of. Returns the files. Throws InputError: broken tables, no such folder, nothing to write.
std::vector<std::filesystem::path> write_curves(const std::filesystem::path& data, const std::filesystem::path& tables, const std::filesystem::path& folder,
                                                const std::string& device);

}  // namespace moesim
