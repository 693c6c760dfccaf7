#include "validation/residuals.h"

#include <cstdio>

#include "base/error.h"

namespace moesim {

ErrorSpread residual_spread(const std::vector<ValidationRow>& rows, bool moe) {
  std::vector<double> errors;
  for (const ValidationRow& r : rows)
    if (r.moe == moe) errors.push_back(r.error);
  if (errors.empty()) throw InternalError(std::string("no published row of a ") + (moe ? "MoE" : "dense") + " model");
  return {static_cast<std::int64_t>(errors.size()), quantile(errors, 0.1), quantile(errors, 0.9)};
}

std::string residuals_text(const std::vector<ValidationRow>& rows) {
  std::string out;
  for (const bool moe : {false, true}) {
    const ErrorSpread s = residual_spread(rows, moe);
    char line[96];
    std::snprintf(line, sizeof line, "constexpr ErrorSpread %s{%lld, %.3f, %.3f};\n", moe ? "kMoe" : "kDense", static_cast<long long>(s.rows), s.p10, s.p90);
    out += line;
  }
  return out;
}

}  // namespace moesim
