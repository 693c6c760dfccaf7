// One JSON value type for the whole program. Include this only in .cpp files: it is slow to compile.
#pragma once

#include <nlohmann/json.hpp>

namespace moesim {
using Json = nlohmann::ordered_json;
}
