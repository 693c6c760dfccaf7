// Measured GEMM times on a grid of shapes y[m,n] = x[m,k] w[n,k]^T.
#pragma once

#include <cstdint>
#include <vector>

namespace moesim {

struct GemmShape {
  std::int64_t m = 1, n = 1, k = 1;
  bool operator==(const GemmShape&) const = default;
};

/// Between grid lines the time is linear in m, n and k, as a roofline is where one of its terms rules; so a table that rises with n and k
/// rises everywhere between them.
class GemmGrid {
 public:
  /// Axes ascend and are not empty; `seconds[(im * n.size() + in) * k.size() + ik]` > 0. Throws InternalError if not.
  GemmGrid(std::vector<std::int64_t> m, std::vector<std::int64_t> n, std::vector<std::int64_t> k, std::vector<double> seconds);

  /// The shape itself, or the nearest one inside the measured ranges.
  GemmShape clamped(GemmShape) const;
  /// Seconds of a shape inside the ranges. Throws InternalError outside.
  double seconds(GemmShape) const;

  const std::vector<std::int64_t>& m() const { return m_; }
  const std::vector<std::int64_t>& n() const { return n_; }
  const std::vector<std::int64_t>& k() const { return k_; }
  double at(std::size_t im, std::size_t in, std::size_t ik) const { return seconds_[(im * n_.size() + in) * k_.size() + ik]; }

 private:
  std::vector<std::int64_t> m_, n_, k_;
  std::vector<double> seconds_;
};

}  // namespace moesim
