// JSON text -> value, refusing what would later be silent (see document.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace moesim {

/// Levels of nesting that a text, and the path of a `--set`, may have.
constexpr std::size_t kMaxJsonDepth = 64;

/// Throws InputError: "NAME:LINE:COLUMN: reason". `name` leads messages.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

}  // namespace moesim
