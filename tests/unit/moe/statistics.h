// Sample moments of repeated draws of counts.
#pragma once

#include <cstdint>
#include <vector>

namespace moesim {

class Moments {
 public:
  explicit Moments(std::size_t n) : n_(n), sum_(n), product_(n * n) {}

  void add(const std::vector<std::int64_t>& counts) {
    ++draws_;
    for (std::size_t i = 0; i < n_; ++i) {
      sum_[i] += static_cast<double>(counts[i]);
      for (std::size_t j = 0; j < n_; ++j) product_[i * n_ + j] += static_cast<double>(counts[i]) * static_cast<double>(counts[j]);
    }
  }

  double mean(std::size_t i) const { return sum_[i] / draws_; }
  double covariance(std::size_t i, std::size_t j) const { return product_[i * n_ + j] / draws_ - mean(i) * mean(j); }
  double variance(std::size_t i) const { return covariance(i, i); }

  double mean_variance() const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += variance(i);
    return sum / static_cast<double>(n_);
  }
  double mean_covariance() const {   // over pairs of different experts
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) sum += i == j ? 0 : covariance(i, j);
    return sum / static_cast<double>(n_ * (n_ - 1));
  }

 private:
  std::size_t n_;
  double draws_ = 0;
  std::vector<double> sum_, product_;
};

}  // namespace moesim
