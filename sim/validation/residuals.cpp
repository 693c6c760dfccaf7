#include "validation/residuals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/statistics.h"

namespace moesim {
namespace {

double thousandths(double v) { return std::round(v * 1000) / 1000; }

std::string line(const char* name, const std::vector<double>& errors) {
  if (errors.empty()) return "";
  const ErrorSpread s = spread_of(errors);
  char out[96];
  std::snprintf(out, sizeof out, "constexpr ErrorSpread %s{%lld, %.3f, %.3f, %lld};\n", name, static_cast<long long>(s.rows), s.p10, s.p90,
                static_cast<long long>(s.inside));
  return out;
}

}  // namespace

std::vector<double> step_errors(const std::vector<ValidationRow>& rows, bool moe) {
  std::vector<double> out;
  for (const ValidationRow& r : rows)
    if (r.moe == moe) out.push_back(r.error);
  return out;
}

std::vector<double> peak_errors(const std::vector<ValidationRow>& rows) {
  std::vector<double> out;
  for (const ValidationRow& r : rows)
    if (r.memory) out.push_back(r.memory->error);
  return out;
}

ErrorSpread spread_of(const std::vector<double>& errors) {
  if (errors.empty()) throw InternalError("no published row to take errors from");
  ErrorSpread out{static_cast<std::int64_t>(errors.size()), thousandths(quantile(errors, 0.1)), thousandths(quantile(errors, 0.9))};
  out.inside = count_inside(errors, out);
  return out;
}

std::int64_t count_inside(const std::vector<double>& errors, const ErrorSpread& s) {
  return std::count_if(errors.begin(), errors.end(), [&](double e) { return e >= s.p10 && e <= s.p90; });
}

std::string residuals_text(const std::vector<ValidationRow>& rows) {
  return line("kDense", step_errors(rows, false)) + line("kMoe", step_errors(rows, true)) + line("kPeak", peak_errors(rows));
}

}  // namespace moesim
