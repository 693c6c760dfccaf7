// The spread of the errors of the published rows: what analysis/interval.cpp is made from.
#pragma once

#include <string>
#include <vector>

#include "analysis/interval.h"
#include "validation/validation_report.h"

namespace moesim {

/// Errors of the step times of the dense or MoE rows, and of the peak memory of the rows that have one.
std::vector<double> step_errors(const std::vector<ValidationRow>&, bool moe);
std::vector<double> peak_errors(const std::vector<ValidationRow>&);

/// 10th and 90th percentile. Throws InternalError if there are no errors.
ErrorSpread spread_of(const std::vector<double>& errors);

/// Errors that lie between the percentiles of `s`.
std::int64_t count_inside(const std::vector<double>& errors, const ErrorSpread& s);

/// The lines of analysis/interval.cpp, of what there are rows of.
std::string residuals_text(const std::vector<ValidationRow>&);

}  // namespace moesim
