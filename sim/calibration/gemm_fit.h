// Timed GEMMs -> a grid without holes or dents.
#pragma once

#include <functional>
#include <span>

#include "base/dtype.h"
#include "cost/gemm_grid.h"
#include "hw/profile.h"

namespace moesim {

struct GemmTiming {
  GemmShape shape;
  double seconds = 0;
};

/// Seconds of any shape by a closed form.
using GemmForm = std::function<double(GemmShape)>;

/// The machine's closed form at burst clocks. Throws InputError when asked for a shape in a format that the machine does not compute in.
GemmForm gemm_form(const HwProfile&, DType);

/// A grid over every m, n and k that occurs. Shapes timed more than once take their mean (of logarithms); a point without a timing takes
/// the form times what its neighbours at the same m took over theirs; then each m is made to rise with n and k, by the change that is
/// least in the squares of logarithms along each line. Throws InputError without timings.
GemmGrid fit_gemm_grid(std::span<const GemmTiming>, const GemmForm&);

/// Seconds by the grid. Below its range those of its smallest shape, whose few tiles leave most of the GPU idle anyway; above it those of
/// its largest, times the ratio of the form.
double gemm_seconds(const GemmGrid&, const GemmForm&, GemmShape);

}  // namespace moesim
