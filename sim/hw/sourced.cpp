#include "hw/sourced.h"

#include <array>

namespace moesim {

std::string_view name(Grade grade) {
  constexpr std::array<std::string_view, kGrades> names{"measured", "spec", "derived", "assumed", "recalled", "user"};
  return names[static_cast<std::size_t>(grade)];
}

}  // namespace moesim
