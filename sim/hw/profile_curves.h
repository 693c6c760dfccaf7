// The files of curves that a chain of profiles, each extending the next, ends up with.
#pragma once

#include <filesystem>
#include <vector>

#include "base/document.h"
#include "hw/profile.h"

namespace moesim {

/// Reads those of kernels and of collectives. Throws InputError: a file that is missing or malformed.
void read_curves(HwProfile&, const std::vector<Document>& chain, const std::filesystem::path& data);

}  // namespace moesim
