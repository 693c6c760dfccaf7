#include "calibration/gemm_fit.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/rising.h"
#include "calibration/words.h"
#include "cost/cost_model.h"
#include "cost/residual_surface.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.2;   // of log2: shapes nearer than 15 % say the same

std::vector<std::int64_t> axis(std::span<const GemmTiming> timings, std::int64_t GemmShape::*member) {
  std::vector<std::int64_t> out;
  for (const GemmTiming& t : timings) out.push_back(t.shape.*member);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  double value() const { return sum / static_cast<double>(count); }
};

// The logarithms of one m over all n and k, holes filled.
class Plane {
 public:
  Plane(std::int64_t m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k, const GemmForm& form)
      : m_(m), n_(n), k_(k), form_(form), known_(n.size() * k.size()) {}

  void add(GemmShape s, double seconds) {
    Mean& cell = known_[index(n_, s.n) * k_.size() + index(k_, s.k)];
    cell.sum += portable_log(seconds);
    ++cell.count;
  }

  std::vector<double> filled() const {
    ResidualSurface surface({1, 1}, kSoftness);
    for_each([&](std::size_t cell, GemmShape s) {
      if (known_[cell].count > 0) surface.add(place(s), known_[cell].value() - portable_log(form_(s)));
    });
    std::vector<double> out(known_.size());
    for_each([&](std::size_t cell, GemmShape s) {
      out[cell] = known_[cell].count > 0 ? known_[cell].value() : portable_log(form_(s)) + surface.value(place(s)).log_ratio;
    });
    return rising_matrix(std::move(out), n_.size(), k_.size());
  }

 private:
  static std::size_t index(const std::vector<std::int64_t>& axis, std::int64_t x) {
    return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), x) - axis.begin());
  }
  static std::array<double, 2> place(GemmShape s) { return {log2_of(static_cast<double>(s.n)), log2_of(static_cast<double>(s.k))}; }

  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < n_.size(); ++i)
      for (std::size_t j = 0; j < k_.size(); ++j) f(i * k_.size() + j, GemmShape{m_, n_[i], k_[j]});
  }

  std::int64_t m_;
  const std::vector<std::int64_t>&n_, &k_;
  const GemmForm& form_;
  std::vector<Mean> known_;
};

}  // namespace

GemmForm gemm_form(const HwProfile& hw, DType dtype) {
  return [model = std::make_shared<const CostModel>(hw, Clocks::burst, Kernels::closed_form), dtype](GemmShape s) {
    Op op;
    op.kind = OpKind::gemm;
    op.dtype = dtype;
    op.m = s.m, op.n = s.n, op.k = s.k;
    return seconds(model->cost(op).time);
  };
}

GemmGrid fit_gemm_grid(std::span<const GemmTiming> timings, const GemmForm& form) {
  if (timings.empty()) throw InputError("no GEMM timings to fit");
  const std::vector<std::int64_t> m = axis(timings, &GemmShape::m), n = axis(timings, &GemmShape::n), k = axis(timings, &GemmShape::k);
  std::map<std::int64_t, Plane> planes;
  for (const std::int64_t each : m) planes.try_emplace(each, each, n, k, form);
  for (const GemmTiming& t : timings) planes.at(t.shape.m).add(t.shape, t.seconds);
  std::vector<double> seconds;
  for (const auto& [each, plane] : planes)
    for (const double log : plane.filled()) seconds.push_back(portable_exp(log));
  return {m, n, k, std::move(seconds)};
}

double gemm_seconds(const GemmGrid& grid, const GemmForm& form, GemmShape s) {
  const GemmShape inside = grid.clamped(s);
  const GemmShape beyond{std::max(s.m, inside.m), std::max(s.n, inside.n), std::max(s.k, inside.k)};
  const double at_edge = grid.seconds(inside);
  return inside == beyond ? at_edge : at_edge * (form(beyond) / form(inside));
}

}  // namespace moesim
