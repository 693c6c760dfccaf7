#include "cost/quantize.h"

#include <algorithm>
#include <array>

#include "base/maths.h"
#include "cost/closed_form.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of the surface, in units of log2
constexpr double kNear = 1;
constexpr double kMostBytes = 2e18;   // as of any op

double d(std::int64_t x) { return static_cast<double>(x); }

std::array<double, 2> place(const QuantizeCase& c) { return {portable_log2(d(c.rows)), portable_log2(d(c.columns))}; }

}  // namespace

double quantize_seconds(const KernelNumbers& numbers, double element_bytes, const QuantizeCase& c) {
  Op op;
  op.kind = OpKind::cast;
  op.traffic = Bytes{static_cast<std::int64_t>(std::min(d(c.rows) * d(c.columns) * element_bytes, kMostBytes))};
  return closed_form_seconds(numbers, op);
}

QuantizeCurve::QuantizeCurve(const MeasuredForm& t, const KernelNumbers& here, bool own)
    : here_(here), element_bytes_(t.constants.front()), ratios_({1, 1}, kSoftness), own_(own) {
  for (std::size_t i = 0; i < t.log_ratio.size(); ++i) ratios_.add(place({t.sizes[i * kSizes], t.sizes[i * kSizes + 1]}), t.log_ratio[i]);
}

KernelSeconds QuantizeCurve::at(const QuantizeCase& c) const {
  const ResidualSurface::Value v = ratios_.value(place(c));
  return {quantize_seconds(here_, element_bytes_, c) * portable_exp(v.log_ratio), own_ ? provenance_of(v, kNear) : Provenance::extrapolated};
}

}  // namespace moesim
