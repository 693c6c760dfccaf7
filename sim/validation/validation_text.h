// A validation report for people and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "validation/validation_report.h"

namespace moesim {

/// Names that leave no room for their figures in `width` stand on a line of their own.
std::string to_text(const ValidationReport&, std::size_t width = 80);
std::string to_json(const ValidationReport&);
/// A header line and one line a row.
std::string to_csv(const ValidationReport&);

}  // namespace moesim
