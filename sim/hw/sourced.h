// A number of a profile together with how it is known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace moesim {

enum class Grade : std::uint8_t {
  measured,   // by the source, on such a machine
  spec,       // vendor or specification figure
  derived,    // computed or fitted from cited data
  assumed,    // no source: a placeholder worth replacing
  recalled,   // from memory, not checked again
  user,       // given without a grade, by a profile that extends another or by the user's own
};
constexpr std::size_t kGrades = 6;
std::string_view name(Grade);

template <class T>
struct Sourced {
  T value{};
  Grade grade = Grade::assumed;
  std::string source;
};

/// One number as a table shows it: where it stands, the value as it was written, how it is known.
struct ProfileNumber {
  std::string path;     // "scale_up.per_gpu"
  std::string value;    // "450 GB/s"
  Grade grade = Grade::assumed;
  std::string source;
};

}  // namespace moesim
