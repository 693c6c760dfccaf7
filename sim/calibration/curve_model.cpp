#include "calibration/curve_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "base/error.h"
#include "base/maths.h"
#include "base/statistics.h"

namespace moesim {
namespace {

constexpr std::size_t kTerms = CurvePoint::kTerms;
using Terms = std::array<double, kTerms>;

// Of logarithms. Errors of left-out curves change by less than a tenth over a factor of two in each of these.
constexpr double kSpread = 0.15, kNoise = 0.03;
constexpr double kMachines = 0.93;             // covariance between machines of a generation
constexpr double kRegimes = 0.1;
constexpr double kQuartile = 0.25;             // of repeated timings: what disturbs a timing only adds to it
constexpr double kGpuReach = 3, kSizeReach = 5;   // octaves

/// Lower triangle of a symmetric positive matrix, by columns so that inner loops run along memory.
class Cholesky {
 public:
  explicit Cholesky(std::size_t n) : n_(n), a_(n * n) {}
  double& at(std::size_t row, std::size_t column) { return a_[column * n_ + row]; }

  void factor() {
    for (std::size_t k = 0; k < n_; ++k) {
      const double pivot = std::sqrt(std::max(at(k, k), 1e-12));
      for (std::size_t i = k; i < n_; ++i) at(i, k) /= pivot;
      for (std::size_t j = k + 1; j < n_; ++j) subtract(j, k);
    }
  }

  std::vector<double> solve(std::vector<double> b) {
    for (std::size_t k = 0; k < n_; ++k) {
      b[k] /= at(k, k);
      for (std::size_t i = k + 1; i < n_; ++i) b[i] -= at(i, k) * b[k];
    }
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t i = k + 1; i < n_; ++i) b[k] -= at(i, k) * b[i];
      b[k] /= at(k, k);
    }
    return b;
  }

 private:
  void subtract(std::size_t j, std::size_t k) {
    const double factor = at(j, k);
    const double* from = &a_[k * n_];
    double* to = &a_[j * n_];
    for (std::size_t i = j; i < n_; ++i) to[i] -= factor * from[i];
  }

  std::size_t n_;
  std::vector<double> a_;
};

double product(const Terms& c, const Terms& t) {
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += c[i] * t[i];
  return sum;
}

/// Least squares of relative errors over the terms of `subset`; nothing if they are dependent.
bool solve_subset(std::span<const CurvePoint* const> points, const std::vector<std::size_t>& subset, Terms& out) {
  const std::size_t n = subset.size();
  Cholesky normal(n);
  std::vector<double> right(n, 0.0);
  for (const CurvePoint* p : points)
    for (std::size_t a = 0; a < n; ++a) {
      const double x = p->terms[subset[a]] / p->seconds;
      right[a] += x;
      for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) += x * p->terms[subset[b]] / p->seconds;
    }
  std::vector<double> scale(n);
  for (std::size_t a = 0; a < n; ++a) {
    if (normal.at(a, a) <= 0) return false;
    scale[a] = std::sqrt(normal.at(a, a));
  }
  for (std::size_t a = 0; a < n; ++a) {
    right[a] /= scale[a];
    for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) /= scale[a] * scale[b];
  }
  normal.factor();
  for (std::size_t a = 0; a < n; ++a)
    if (normal.at(a, a) < 1e-4) return false;
  const std::vector<double> solved = normal.solve(std::move(right));
  out = {};
  for (std::size_t a = 0; a < n; ++a) out[subset[a]] = solved[a] / scale[a];
  return true;
}

/// The best of all subsets of terms whose coefficients come out >= 0.
Terms fit_form(std::span<const CurvePoint* const> points) {
  Terms best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned mask = 1; mask < (1U << kTerms); ++mask) {
    std::vector<std::size_t> subset;
    for (std::size_t i = 0; i < kTerms; ++i)
      if (mask >> i & 1U) subset.push_back(i);
    Terms c{};
    if (!solve_subset(points, subset, c) || std::any_of(c.begin(), c.end(), [](double x) { return x < 0; })) continue;
    double squares = 0;
    for (const CurvePoint* p : points) squares += (product(c, p->terms) / p->seconds - 1) * (product(c, p->terms) / p->seconds - 1);
    if (squares < least * (1 - 1e-9)) {
      least = squares;
      best = c;
    }
  }
  return best;
}

std::vector<CurvePoint> one_a_place(std::vector<CurvePoint> points) {
  std::map<std::tuple<std::string, std::string, double, double>, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& p = points[i];
    places[{p.machine, p.kind, p.log_gpus, p.log_size}].push_back(i);
  }
  std::vector<CurvePoint> out;
  for (const auto& [place, which] : places) {
    std::vector<double> times;
    for (const std::size_t i : which) times.push_back(points[i].seconds);
    out.push_back(points[which.front()]);
    out.back().seconds = quantile(std::move(times), kQuartile);
  }
  return out;
}

std::string_view first_word(std::string_view s) { return s.substr(0, s.find(' ')); }

}  // namespace

CurveModel::CurveModel(std::vector<CurvePoint> points, Likeness alike) : points_(one_a_place(std::move(points))), alike_(std::move(alike)) {
  if (points_.empty()) throw InternalError("curves without a point");
  std::map<std::string, std::vector<const CurvePoint*>> groups;
  for (const CurvePoint& p : points_) groups[p.form].push_back(&p);
  for (const auto& [form, members] : groups) forms_.push_back({form, fit_form(members), members.size()});
  const std::size_t n = points_.size();
  Cholesky k(n);
  std::vector<double> residuals(n);
  for (std::size_t i = 0; i < n; ++i) {
    residuals[i] = portable_log(points_[i].seconds / form_seconds(points_[i]));
    for (std::size_t j = 0; j <= i; ++j) k.at(i, j) = covariance(points_[i], points_[j]);
    k.at(i, i) += kNoise * kNoise;
  }
  k.factor();
  weights_ = k.solve(std::move(residuals));
}

double CurveModel::form_seconds(const CurvePoint& p) const {
  const Form* best = nullptr;
  const auto rank = [&](const Form& f) { return f.name == p.form ? 2 : first_word(f.name) == first_word(p.form) ? 1 : 0; };
  for (const Form& f : forms_)
    if (!best || rank(f) > rank(*best) || (rank(f) == rank(*best) && f.points > best->points)) best = &f;
  if (best->name != p.form && p.guess) return *p.guess;
  const double seconds = product(best->coefficients, p.terms);
  return seconds > 0 ? seconds : 1e-6;   // terms that the form does not have
}

double CurveModel::covariance(const CurvePoint& a, const CurvePoint& b) const {
  const double kinds = a.kind == b.kind ? 1 : alike_(a.kind, b.kind);
  if (kinds == 0) return 0;
  const double distance = std::abs(a.log_gpus - b.log_gpus) / kGpuReach + std::abs(a.log_size - b.log_size) / kSizeReach;
  return kSpread * kSpread * kinds * (a.machine == b.machine ? 1 : kMachines) * (a.regime == b.regime ? 1 : kRegimes) * portable_exp(-distance);
}

double CurveModel::seconds(const CurvePoint& p) const {
  double log_correction = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) log_correction += weights_[i] * covariance(p, points_[i]);
  return form_seconds(p) * portable_exp(std::clamp(log_correction, -2.0, 2.0));
}

}  // namespace moesim
