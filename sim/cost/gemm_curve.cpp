#include "cost/gemm_curve.h"

#include <algorithm>

#include "cost/closed_form.h"

namespace moesim {
namespace {

using Axis = std::vector<std::int64_t>;

constexpr std::int64_t kFarthest = std::int64_t{1} << 32, kTile = 8;

GemmConstants constants_of(const MeasuredGemm& t) {
  GemmConstants out{};
  std::copy_n(t.constants.begin(), out.size(), out.begin());
  return out;
}

Op like(Op op, GemmShape s) {
  op.m = s.m, op.n = s.n, op.k = s.k;
  return op;
}

Op forward(DType type) {
  Op op;
  op.kind = OpKind::gemm, op.dtype = type;
  return op;
}

/// No kernel is faster than the peak of the memory moves its operands once.
double memory_seconds(const KernelNumbers& c, const Op& op, GemmShape s) { return static_cast<double>(traffic(like(op, s)).count()) / c.bandwidth; }

/// Running maxima along n and k of each m, and along m if `rows`.
void raise(std::vector<double>& all, const Axis& n, const Axis& k, bool rows) {
  const std::size_t plane = n.size() * k.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % k.size() > 0) all[i] = std::max(all[i], all[i - 1]);
    if (i % plane >= k.size()) all[i] = std::max(all[i], all[i - k.size()]);
    if (rows && i >= plane) all[i] = std::max(all[i], all[i - plane]);
  }
}

struct Place {
  std::size_t m, n, k;
};

/// `seconds` at each place on the axes, made to rise.
template <class F>
GemmGrid grid_of(const Axis& m, const Axis& n, const Axis& k, bool rows, const F& seconds) {
  std::vector<double> all;
  all.reserve(m.size() * n.size() * k.size());
  for (std::size_t im = 0; im < m.size(); ++im)
    for (std::size_t in = 0; in < n.size(); ++in)
      for (std::size_t ik = 0; ik < k.size(); ++ik) all.push_back(seconds(Place{im, in, ik}, GemmShape{m[im], n[in], k[ik]}));
  raise(all, n, k, rows);
  return {m, n, k, std::move(all)};
}

/// Timed seconds in the order of the grid, without the quantisation of x if `alone`.
std::vector<double> timed_seconds(const MeasuredGemm& t, const KernelNumbers& there, DType type, bool alone) {
  if (!alone) return t.seconds;
  std::vector<double> out;
  out.reserve(t.seconds.size());
  const Op op = forward(type);
  for (std::size_t im = 0; im < t.m.size(); ++im) {
    const double* narrowest = &t.seconds[im * t.n.size() * t.k.size()];
    std::vector<double> quantisation;
    for (std::size_t ik = 0; ik < t.k.size(); ++ik)
      quantisation.push_back(std::max(0.0, narrowest[ik] - closed_form_seconds(there, like(op, {t.m[im], t.n[0], t.k[ik]}))));
    for (std::size_t in = 0; in < t.n.size(); ++in)
      for (std::size_t ik = 0; ik < t.k.size(); ++ik)
        out.push_back(std::max(t.seconds[out.size()] - quantisation[ik], memory_seconds(there, op, {t.m[im], t.n[in], t.k[ik]})));
  }
  return out;
}

/// The places on the timed axis of rows that a grid for ops like `op` has.
std::vector<std::size_t> rows_of(const MeasuredGemm& t, const Op& op) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < t.m.size(); ++i)
    if (op.pass != Pass::wgrad || t.m[i] < kTile || t.m[i] % kTile == 0) out.push_back(i);
  return out.empty() ? std::vector<std::size_t>{t.m.size() - 1} : out;
}

/// The sizes and ever larger ones, between which the form is nearly linear.
Axis extended(Axis a) {
  while (a.back() < kFarthest) a.push_back(a.back() * 64);
  return a;
}

GemmGrid carried_over(const MeasuredGemm& t, const KernelNumbers& there, const KernelNumbers& here, const Op& op, bool alone) {
  const GemmConstants constants = alone ? kClosedFormGemm : constants_of(t);
  const GemmForm timed(there, op.dtype, constants), wanted(here, op.dtype, constants, op.pass);
  const std::vector<double> seconds = timed_seconds(t, there, op.dtype, alone);
  const std::vector<std::size_t> from = rows_of(t, op);
  Axis m;
  for (const std::size_t i : from) m.push_back(t.m[i]);
  const bool rows = op.pass == Pass::wgrad, same = &here == &there && !rows;
  const GemmGrid inside = grid_of(m, t.n, t.k, rows, [&](Place p, GemmShape s) {
    const double there_seconds = seconds[(from[p.m] * t.n.size() + p.n) * t.k.size() + p.k];
    return std::max(same ? there_seconds : there_seconds * (wanted.seconds(s) / timed.seconds(s)), memory_seconds(here, op, s));
  });
  return grid_of(extended(m), extended(t.n), extended(t.k), rows, [&](Place p, GemmShape s) {
    const Place edge{std::min(p.m, m.size() - 1), std::min(p.n, t.n.size() - 1), std::min(p.k, t.k.size() - 1)};
    const double at_edge = inside.at(edge.m, edge.n, edge.k);
    if (edge.m == p.m && edge.n == p.n && edge.k == p.k) return at_edge;
    return std::max(at_edge * (wanted.seconds(s) / wanted.seconds({m[edge.m], t.n[edge.n], t.k[edge.k]})), memory_seconds(here, op, s));
  });
}

}  // namespace

GemmCurve::GemmCurve(const MeasuredGemm& t, const KernelNumbers& there, const KernelNumbers& here, const Op& op, bool own, Quantisation q)
    : grid_(carried_over(t, there, here, op, bits(op.dtype) < 16 && q == Quantisation::left)),
      timed_(t.timed),
      m_(t.m),
      n_(t.n),
      k_(t.k),
      own_(own && op.pass == Pass::forward) {}

KernelSeconds GemmCurve::at(GemmShape s) const { return {grid_.seconds(grid_.clamped(s)), provenance(s)}; }

Provenance GemmCurve::provenance(GemmShape s) const {
  const auto inside = [](const Axis& a, std::int64_t x) { return a.front() <= x && x <= a.back(); };
  if (!own_ || !inside(m_, s.m) || !inside(n_, s.n) || !inside(k_, s.k)) return Provenance::extrapolated;
  const auto find = [](const Axis& a, std::int64_t x) { return static_cast<std::size_t>(std::lower_bound(a.begin(), a.end(), x) - a.begin()); };
  const std::size_t im = find(m_, s.m), in = find(n_, s.n), ik = find(k_, s.k);
  const bool point = m_[im] == s.m && n_[in] == s.n && k_[ik] == s.k;
  return point && timed_[(im * n_.size() + in) * k_.size() + ik] ? Provenance::measured : Provenance::interpolated;
}

}  // namespace moesim
