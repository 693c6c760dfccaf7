// Tables of measurements on disk: NAME.csv, or NAME.csv.xz.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/csv.h"

namespace moesim {

/// What xz made of `packed`, one stream or several. Throws InputError ("FILE: ..."): not xz, cut short, damaged, something else behind it, or
/// more than `most` bytes when unpacked.
std::string unpacked_xz(std::string_view packed, const std::string& file, std::size_t most = std::size_t{1} << 28);

/// The text of a table; a name that ends in .xz is unpacked. Throws InputError.
std::string read_table_text(const std::filesystem::path&);
/// The remarks and the line of column names that such a text begins with.
std::string_view table_head(std::string_view text);
/// Reads a table. Throws InputError.
CsvTable load_csv(const std::filesystem::path&);

}  // namespace moesim
