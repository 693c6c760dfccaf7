// Runs the published rows.
#pragma once

#include <filesystem>
#include <string>

#include "validation/validation_report.h"

namespace moesim {

/// Simulates every row of data/validate/published, or those of `group` ("" = all). Memory limits are not enforced: these runs did run.
/// Throws InputError: a broken row, or a group that no row has.
ValidationReport validate_published(const std::filesystem::path& data, const std::string& group = "");

/// One row.
ValidationRow validate_row(const PublishedRow&, const std::filesystem::path& data);

}  // namespace moesim
