// Numbers that machines are described by but that no training report depends on yet. tests/property/profile_numbers_test.cpp doubles and
// halves every number and holds this list to what happens; `moesim hw` marks them.
#pragma once

#include <string_view>

namespace moesim {

/// `path` as in HwProfile::numbers, "gpu.sms".
bool unused_by_train(std::string_view path);

}  // namespace moesim
