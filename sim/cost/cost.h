// How long, and how we know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace moesim {

/// measured: this kernel was timed on this device in this shape. interpolated: shapes around it were. extrapolated: it lies outside them, or
/// the timings are of another device, layout or pass, carried over by the closed form. analytic: the closed form alone.
enum class Provenance : std::uint8_t { measured, interpolated, extrapolated, analytic };
constexpr std::size_t kProvenances = 4;
std::string_view name(Provenance);

struct Cost {
  Time time{0};        // device time of all the op's kernels
  Provenance provenance = Provenance::analytic;
};

/// The same before it is rounded to time.
struct KernelSeconds {
  double seconds = 0;
  Provenance provenance = Provenance::analytic;
};

}  // namespace moesim
