#include "validation/residuals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace moesim {
namespace {

double thousandths(double v) { return std::round(v * 1000) / 1000; }

}  // namespace

ErrorSpread residual_spread(const std::vector<ValidationRow>& rows, bool moe) {
  std::vector<double> errors;
  for (const ValidationRow& r : rows)
    if (r.moe == moe) errors.push_back(r.error);
  if (errors.empty()) throw InternalError(std::string("no published row of a ") + (moe ? "MoE" : "dense") + " model");
  ErrorSpread out{static_cast<std::int64_t>(errors.size()), thousandths(quantile(errors, 0.1)), thousandths(quantile(errors, 0.9))};
  out.inside = rows_inside(rows, moe, out);
  return out;
}

std::int64_t rows_inside(const std::vector<ValidationRow>& rows, bool moe, const ErrorSpread& s) {
  return std::count_if(rows.begin(), rows.end(), [&](const ValidationRow& r) { return r.moe == moe && r.error >= s.p10 && r.error <= s.p90; });
}

std::string residuals_text(const std::vector<ValidationRow>& rows) {
  std::string out;
  for (const bool moe : {false, true}) {
    const ErrorSpread s = residual_spread(rows, moe);
    char line[96];
    std::snprintf(line, sizeof line, "constexpr ErrorSpread %s{%lld, %.3f, %.3f, %lld};\n", moe ? "kMoe" : "kDense", static_cast<long long>(s.rows), s.p10, s.p90,
                  static_cast<long long>(s.inside));
    out += line;
  }
  return out;
}

}  // namespace moesim
