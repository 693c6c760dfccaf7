#include "base/random.h"

namespace moesim {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name, std::initializer_list<std::int64_t> indices) : key_(mix(seed + kGolden)) {
  for (const char c : name) key_ = mix(key_ + kGolden * (static_cast<unsigned char>(c) + 1u));
  key_ = mix(key_ + kGolden * (name.size() + 257u));
  for (const std::int64_t i : indices) key_ = mix((key_ + kGolden) ^ mix(static_cast<std::uint64_t>(i) + kGolden));
}

RandomStream::result_type RandomStream::operator()() { return mix(key_ + kGolden * ++counter_); }

}  // namespace moesim
