// Merging of JSON values: how one file extends another and how flags override a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace moesim {

/// What a null in the overriding value does: takes the key away (RFC 7386), or stands there itself, for files in which null and a key left
/// out differ.
enum class Null : std::uint8_t { removes, stays };

/// RFC 7386: members of `over` win, null takes away unless it `stays`, lists are replaced whole. One addition: an object over a list changes the entries that
/// its keys number, so { "levels": { "0": { "latency": "2 us" } } } changes one level. `place` leads messages ("mine.json: levels").
/// Throws InputError for an entry that the list does not have.
void merge_json(nlohmann::ordered_json& base, const nlohmann::ordered_json& over, const std::string& file, Null = Null::removes, const std::string& path = "");

/// "0", "17": the number of an entry of a list.
std::optional<std::size_t> list_index(std::string_view text);

/// "path.key", or "key" at the top.
std::string joined(const std::string& path, std::string_view key);

/// "3 entries, 0 to 2".
std::string entries(std::size_t size);

}  // namespace moesim
