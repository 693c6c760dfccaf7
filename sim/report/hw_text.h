// A machine profile as a table: every number with its grade and source.
#pragma once

#include <string>

#include "hw/profile.h"

namespace moesim {

std::string hw_text(const HwProfile&, std::size_t width = 80);

}  // namespace moesim
