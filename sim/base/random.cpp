#include "base/random.h"

namespace moesim {
RandomStream::RandomStream(std::uint64_t seed, std::string_view name, std::initializer_list<std::int64_t> indices) : key_(mix(seed + kGolden)) {
  for (const char c : name) key_ = mix(key_ + kGolden * (static_cast<unsigned char>(c) + 1u));
  key_ = mix(key_ + kGolden * (name.size() + 257u));
  for (const std::int64_t i : indices) key_ = mix((key_ + kGolden) ^ mix(static_cast<std::uint64_t>(i) + kGolden));
}

}  // namespace moesim
