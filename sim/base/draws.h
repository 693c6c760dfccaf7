// Distributions over a RandomStream with the same bits on every platform: exp and log come from base/maths.h, which neither std::
// nor Boost.Random's distributions do.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/random.h"

namespace moesim {

/// Uniform on [0, 1), a multiple of 2^-53.
inline double uniform(RandomStream& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Mean 0, variance 1, by the ziggurat of Marsaglia and Tsang (2000) with 128 layers of equal area; 99 % of the draws take one word and no
/// function of maths. Holds its table, so make one and draw often.
class UnitNormal {
 public:
  UnitNormal();

  double operator()(RandomStream& random) const {
    const std::uint64_t word = random();
    const double x = candidate(word);
    return x < edge_[layer(word) + 1] ? with_sign(x, word) : rare(word, random);
  }
  /// As many calls, in order.
  void fill(RandomStream&, std::span<double>) const;

 private:
  static constexpr std::size_t kLayers = 128;

  static std::size_t layer(std::uint64_t word) { return (word >> 1) & (kLayers - 1); }
  static double with_sign(double x, std::uint64_t word) { return (word & 1) != 0 ? x : -x; }
  double candidate(std::uint64_t word) const { return static_cast<double>(word >> 11) * 0x1p-53 * edge_[layer(word)]; }
  /// The 1 % of words that do not decide alone.
  double rare(std::uint64_t word, RandomStream&) const;
  bool under_curve(RandomStream&, std::size_t layer, double x) const;
  double tail(RandomStream&) const;

  // Layer i reaches from 0 to edge i, its part under the curve for certain to edge i + 1; layer 0 stands for the tail beyond edge 1 too.
  std::array<double, kLayers + 1> edge_;
  std::array<double, kLayers + 1> height_;   // exp(-edge^2 / 2)
};

/// Successes of `trials` of probability p where few succeed or few fail: min(p, 1 - p) * trials up to about 30. Adds up probabilities from the
/// rare end, so a draw takes as many steps as there are rare outcomes; what is certain takes no word of the stream.
class RareBinomial {
 public:
  RareBinomial(std::int64_t trials, double p);   // p in [0, 1]

  std::int64_t operator()(RandomStream&) const;

 private:
  std::int64_t trials_;
  bool failures_are_rare_;
  double odds_;    // of a rare outcome
  double none_;    // probability that none is rare
};

}  // namespace moesim
