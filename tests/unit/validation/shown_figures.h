// The figures of a validation report that READMEs show: in table rows that begin with a group's or a model's name, and in two counts.
#pragma once

#include <string>

#include "validation/validation_report.h"

namespace moesim::test {

/// The text of a README with its figures as this report has them; nothing else changes. A table row of a group,
/// "| dense Hopper | 20 | 4.2 % | 3.2 % | -0.1 % | +10.0 % |", shows rows, mean size, median (if there are six cells), bias and worst.
/// "simulates 65 published", "63 more rows", "the peaks of 11 runs" and "8 rows that ran are said not to fit" are counts.
std::string with_figures_of(const ValidationReport&, const std::string& readme);

}  // namespace moesim::test
