// One JSON value type for the whole program. Include this only in .cpp files: it is slow to compile.
#pragma once

#include <nlohmann/json.hpp>

namespace moesim {
using Json = nlohmann::ordered_json;

/// Indented, and ASCII only: what users named their things may be printed on a terminal.
inline std::string json_text(const Json& j) { return j.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }
}
