#include "cost/gemm_curve.h"

#include <algorithm>

#include "cost/closed_form.h"

namespace moesim {
namespace {

using Axis = std::vector<std::int64_t>;

constexpr std::int64_t kFarthest = std::int64_t{1} << 32;

/// With sizes beyond it, where the closed form is nearly linear.
Axis extended(Axis a) {
  while (a.back() < kFarthest) a.push_back(a.back() * 8);
  return a;
}

double form(const KernelNumbers& c, Op op, GemmShape s) {
  op.m = s.m, op.n = s.n, op.k = s.k;
  return closed_form_seconds(c, op);
}

/// No kernel is faster than the peak of the memory moves its operands once.
double memory_seconds(const KernelNumbers& c, Op op, GemmShape s) {
  op.m = s.m, op.n = s.n, op.k = s.k;
  return static_cast<double>(traffic(op).count()) / c.bandwidth;
}

Op forward(Op op) {
  op.pass = Pass::forward;
  return op;
}

/// Measured over closed form at each timed point.
std::vector<double> ratios(const MeasuredGemm& t, const KernelNumbers& there, const Op& op) {
  std::vector<double> out;
  out.reserve(t.seconds.size());
  for (const std::int64_t m : t.m)
    for (const std::int64_t n : t.n)
      for (const std::int64_t k : t.k) out.push_back(t.seconds[out.size()] / form(there, forward(op), {m, n, k}));
  return out;
}

/// Running maxima along n and k of one m.
void raise(double* plane, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      double& x = plane[r * columns + c];
      if (r > 0) x = std::max(x, plane[(r - 1) * columns + c]);
      if (c > 0) x = std::max(x, plane[r * columns + c - 1]);
    }
}

GemmGrid carried_over(const MeasuredGemm& t, const KernelNumbers& there, const KernelNumbers& here, const Op& op) {
  const Axis m = extended(t.m), n = extended(t.n), k = extended(t.k);
  const std::vector<double> ratio = ratios(t, there, op);
  std::vector<double> seconds;
  seconds.reserve(m.size() * n.size() * k.size());
  for (std::size_t im = 0; im < m.size(); ++im) {
    for (std::size_t in = 0; in < n.size(); ++in) {
      const std::size_t row = (std::min(im, t.m.size() - 1) * t.n.size() + std::min(in, t.n.size() - 1)) * t.k.size();
      for (std::size_t ik = 0; ik < k.size(); ++ik)
        seconds.push_back(std::max(ratio[row + std::min(ik, t.k.size() - 1)] * form(here, op, {m[im], n[in], k[ik]}), memory_seconds(here, op, {m[im], n[in], k[ik]})));
    }
    raise(seconds.data() + im * n.size() * k.size(), n.size(), k.size());
  }
  return {m, n, k, std::move(seconds)};
}

/// Where `x` is on the axis, or nothing.
std::size_t find(const Axis& a, std::int64_t x) {
  const auto at = std::lower_bound(a.begin(), a.end(), x);
  return at != a.end() && *at == x ? static_cast<std::size_t>(at - a.begin()) : a.size();
}

}  // namespace

GemmCurve::GemmCurve(const MeasuredGemm& t, const KernelNumbers& there, const KernelNumbers& here, const Op& op, bool own)
    : grid_(carried_over(t, there, here, op)),
      smallest_{t.m.front(), t.n.front(), t.k.front()},
      largest_{t.m.back(), t.n.back(), t.k.back()},
      timed_(t.timed),
      m_(t.m),
      n_(t.n),
      k_(t.k),
      own_(own && op.pass == Pass::forward) {}

KernelSeconds GemmCurve::at(GemmShape s) const { return {grid_.seconds(grid_.clamped(s)), provenance(s)}; }

Provenance GemmCurve::provenance(GemmShape s) const {
  const auto inside = [](std::int64_t x, std::int64_t low, std::int64_t high) { return low <= x && x <= high; };
  if (!own_ || !inside(s.m, smallest_.m, largest_.m) || !inside(s.n, smallest_.n, largest_.n) || !inside(s.k, smallest_.k, largest_.k))
    return Provenance::extrapolated;
  const std::size_t im = find(m_, s.m), in = find(n_, s.n), ik = find(k_, s.k);
  if (im == m_.size() || in == n_.size() || ik == k_.size()) return Provenance::interpolated;
  return timed_[(im * n_.size() + in) * k_.size() + ik] ? Provenance::measured : Provenance::interpolated;
}

}  // namespace moesim
