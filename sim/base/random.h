// Named random streams. A stream is a pure function of its key (seed, name, layer, step, micro-batch, group ...), so a draw does
// not depend on who drew before it or on the number of threads. base/draws.h makes distributions of them.
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
  result_type operator()() { return mix(key_ + kGolden * ++counter_); }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

  /// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace moesim
