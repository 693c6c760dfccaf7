// Named random streams. A stream is a pure function of its key (seed, name, layer, step, micro-batch, group ...), so a draw does
// not depend on who drew before it or on the number of threads. Distributions: Boost.Random's uniform, Bernoulli, binomial,
// Poisson, normal and exponential agree across compilers; no std:: distribution is used.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace moesim {

/// A counter-based uniform bit generator (64-bit words, splitmix64 finaliser over key + counter).
class RandomStream {
 public:
  using result_type = std::uint64_t;

  RandomStream(std::uint64_t seed, std::string_view name, std::initializer_list<std::int64_t> indices = {});

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()();

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace moesim
