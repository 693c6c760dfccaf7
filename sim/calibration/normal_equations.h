// Weighted least squares of a few unknowns.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace moesim {

/// Sums of residuals `r` with slopes `a`: the x that makes sum w (r - a x)^2 least.
template <std::size_t N>
class NormalEquations {
 public:
  void add(const std::array<double, N>& a, double r, double w) {
    for (std::size_t i = 0; i < N; ++i) {
      right_[i] += w * a[i] * r;
      for (std::size_t j = 0; j <= i; ++j) left_[i][j] += w * a[i] * a[j];
    }
  }

  /// By Cholesky, each diagonal entry made larger by the share `damping` (Levenberg and Marquardt); an unknown that nothing depends on is 0.
  std::array<double, N> solution(double damping = 0) const {
    std::array<std::array<double, N>, N> l{};
    std::array<double, N> x{};
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = left_[i][j] * (i == j ? 1 + damping : 1);
        for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
        if (i == j)
          l[i][i] = sum > 0 ? std::sqrt(sum) : 0;
        else
          l[i][j] = l[j][j] > 0 ? sum / l[j][j] : 0;
      }
      double sum = right_[i];
      for (std::size_t k = 0; k < i; ++k) sum -= l[i][k] * x[k];
      x[i] = l[i][i] > 0 ? sum / l[i][i] : 0;
    }
    for (std::size_t i = N; i-- > 0;) {
      for (std::size_t k = i + 1; k < N; ++k) x[i] -= l[k][i] * x[k];
      x[i] = l[i][i] > 0 ? x[i] / l[i][i] : 0;
    }
    return x;
  }

 private:
  std::array<std::array<double, N>, N> left_{};   // lower triangle
  std::array<double, N> right_{};
};

}  // namespace moesim
