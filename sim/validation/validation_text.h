// A validation report for people and for programs.
#pragma once

#include <string>

#include "validation/validation_report.h"

namespace moesim {

std::string to_text(const ValidationReport&);
std::string to_json(const ValidationReport&);
/// A header line and one line a row.
std::string to_csv(const ValidationReport&);

}  // namespace moesim
