// The spread of the errors of the published rows by kind of model: what analysis/interval.cpp is made from.
#pragma once

#include <string>
#include <vector>

#include "analysis/interval.h"
#include "validation/validation_report.h"

namespace moesim {

/// 10th and 90th percentile of the errors of the dense or MoE rows. Throws InternalError if there is no such row.
ErrorSpread residual_spread(const std::vector<ValidationRow>&, bool moe);

/// Dense or MoE rows whose error lies between the percentiles of `s`.
std::int64_t rows_inside(const std::vector<ValidationRow>&, bool moe, const ErrorSpread& s);

/// The two lines of analysis/interval.cpp.
std::string residuals_text(const std::vector<ValidationRow>&);

}  // namespace moesim
