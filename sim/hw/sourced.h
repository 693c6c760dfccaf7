// A number of a profile together with how it is known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace moesim {

enum class Grade : std::uint8_t { measured, spec, derived, assumed, recalled, user };
std::string_view name(Grade);

template <class T>
struct Sourced {
  T value{};
  Grade grade = Grade::assumed;
  std::string source;
};

}  // namespace moesim
