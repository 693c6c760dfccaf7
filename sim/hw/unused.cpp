#include "hw/unused.h"

#include <algorithm>
#include <array>

namespace moesim {

namespace {

// A name ending in '.' stands for all below it.
constexpr std::array<std::string_view, 9> kUnused{
    "gpu.peak.fp32", "gpu.peak.fp4", "compute.gemm.burst.fp32", "compute.gemm.burst.fp4", "compute.gemm.sustained.fp32", "compute.gemm.sustained.fp4", "host.to_device", "host.from_device", "cost.watts_per_gpu",
};

}  // namespace

bool unused_by_train(std::string_view path) {
  return std::any_of(kUnused.begin(), kUnused.end(), [&](std::string_view u) { return u.ends_with('.') ? path.starts_with(u) : path == u; });
}

}  // namespace moesim
