#include "calibration/form_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kLarge = 0.1;      // errors from here on count linearly
constexpr double kPull = 1e-3;      // of one constant being e times its start, as a share of the timings
constexpr double kStep = 1e-4;      // of a logarithm, for slopes
constexpr int kRounds = 300;

class Fit {
 public:
  Fit(const FormOf& form, std::span<const double> start, std::span<const double> seconds)
      : form_(form), seconds_(seconds), n_(start.size()), pull_(kPull * static_cast<double>(seconds.size())) {
    for (const double c : start) start_.push_back(portable_log(std::max(1e-12, c)));
    at_ = start_;
  }

  FittedConstants run() {
    std::vector<double> errors = errors_at(at_);
    double loss = loss_of(errors, at_), damping = 1e-2;
    for (int round = 0; round < kRounds; ++round) {
      linearise(errors);
      bool better = false;
      for (int tries = 0; tries < 12 && !better; ++tries) {
        const std::vector<double> next = step(damping);
        std::vector<double> next_errors = errors_at(next);
        const double next_loss = loss_of(next_errors, next);
        better = next_loss < loss;
        damping = better ? std::max(1e-9, damping / 4) : damping * 6;
        if (!better) continue;
        const bool done = loss - next_loss < 1e-8 * loss;
        at_ = next, errors = std::move(next_errors), loss = next_loss;
        if (done) return {constants(at_), loss};
      }
      if (!better) break;
    }
    return {constants(at_), loss};
  }

 private:
  static std::vector<double> constants(const std::vector<double>& logs) {
    std::vector<double> out;
    for (const double l : logs) out.push_back(portable_exp(l));
    return out;
  }

  std::vector<double> errors_at(const std::vector<double>& logs) const {
    const std::vector<double> c = constants(logs);
    std::vector<double> out;
    for (std::size_t i = 0; i < seconds_.size(); ++i) out.push_back(portable_log(form_(c, i) / seconds_[i]));
    return out;
  }

  double loss_of(const std::vector<double>& errors, const std::vector<double>& logs) const {
    double sum = 0;
    for (const double e : errors) sum += 2 * kLarge * kLarge * (std::sqrt(1 + e * e / (kLarge * kLarge)) - 1);
    for (std::size_t j = 0; j < n_; ++j) sum += pull_ * (logs[j] - start_[j]) * (logs[j] - start_[j]);
    return sum;
  }

  /// The normal equations at `at_`.
  void linearise(const std::vector<double>& errors) {
    std::vector<std::vector<double>> slopes;
    for (std::size_t j = 0; j < n_; ++j) {
      std::vector<double> moved = at_;
      moved[j] += kStep;
      slopes.push_back(errors_at(moved));
      for (std::size_t i = 0; i < errors.size(); ++i) slopes[j][i] = (slopes[j][i] - errors[i]) / kStep;
    }
    square_.assign(n_ * n_, 0);
    side_.assign(n_, 0);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const double weight = 1 / std::sqrt(1 + errors[i] * errors[i] / (kLarge * kLarge));
      for (std::size_t j = 0; j < n_; ++j) {
        side_[j] -= weight * slopes[j][i] * errors[i];
        for (std::size_t k = 0; k <= j; ++k) square_[j * n_ + k] += weight * slopes[j][i] * slopes[k][i];
      }
    }
    for (std::size_t j = 0; j < n_; ++j) {
      side_[j] -= pull_ * (at_[j] - start_[j]);
      square_[j * n_ + j] += pull_;
    }
  }

  /// By Cholesky's factors of the damped equations; no constant moves by more than a factor e.
  std::vector<double> step(double damping) const {
    std::vector<double> l = square_, x = side_;
    for (std::size_t j = 0; j < n_; ++j) l[j * n_ + j] *= 1 + damping;
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        double sum = l[j * n_ + k];
        for (std::size_t m = 0; m < k; ++m) sum -= l[j * n_ + m] * l[k * n_ + m];
        l[j * n_ + k] = j == k ? std::sqrt(std::max(sum, 1e-300)) : sum / l[k * n_ + k];
      }
      for (std::size_t k = 0; k < j; ++k) x[j] -= l[j * n_ + k] * x[k];
      x[j] /= l[j * n_ + j];
    }
    for (std::size_t j = n_; j-- > 0;) {
      for (std::size_t k = j + 1; k < n_; ++k) x[j] -= l[k * n_ + j] * x[k];
      x[j] /= l[j * n_ + j];
    }
    std::vector<double> out = at_;
    for (std::size_t j = 0; j < n_; ++j) out[j] = std::clamp(out[j] + std::clamp(x[j], -1.0, 1.0), -30.0, 30.0);
    return out;
  }

  const FormOf& form_;
  std::span<const double> seconds_;
  std::size_t n_;
  double pull_;
  std::vector<double> start_, at_, square_, side_;
};

}  // namespace

FittedConstants fit_constants(const FormOf& form, std::span<const double> start, std::span<const double> seconds) { return Fit(form, start, seconds).run(); }

}  // namespace moesim
