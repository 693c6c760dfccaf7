// Systems of one NVLink generation: the same kernels over the same links, so that their curves help one another.
#pragma once

#include <array>
#include <string_view>

#include "collective/nccl_choice.h"

namespace moesim {

struct SystemGeneration {
  std::string_view system;
  NcclGeneration generation;
};
inline constexpr std::array kSystemGenerations{
    SystemGeneration{"a100_sxm", NcclGeneration::ampere},    SystemGeneration{"h100_sxm", NcclGeneration::hopper},    SystemGeneration{"h200_sxm", NcclGeneration::hopper},
    SystemGeneration{"b200_sxm", NcclGeneration::blackwell}, SystemGeneration{"b300_sxm", NcclGeneration::blackwell}, SystemGeneration{"gb200", NcclGeneration::blackwell},
    SystemGeneration{"gb300", NcclGeneration::blackwell}};

inline bool is_of_generation(std::string_view system, NcclGeneration g) {
  for (const SystemGeneration& s : kSystemGenerations)
    if (s.system == system) return s.generation == g;
  return false;
}

/// Of a system that is not in the list: by its machine's links.
inline NcclGeneration nccl_generation_of(std::string_view system, const HwProfile& hw) {
  for (const SystemGeneration& s : kSystemGenerations)
    if (s.system == system) return s.generation;
  return nccl_generation(hw);
}

}  // namespace moesim
