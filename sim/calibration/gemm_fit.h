// Timed GEMMs -> constants of their form, and a grid without holes or dents.
#pragma once

#include <span>

#include "base/dtype.h"
#include "cost/gemm_form.h"

namespace moesim {

struct GemmTiming {
  GemmShape shape;
  double seconds = 0;
};

/// Fitted to a few hundred timings spread over the given ones. Throws InputError without timings, or without a rate in the format.
GemmConstants fit_gemm_constants(const KernelNumbers&, DType, std::span<const GemmTiming>);

/// The constants, and a grid over every m, n and k that occurs. Shapes timed more than once take their mean (of logarithms); a point without a
/// timing takes the form times what its neighbours at the same m took over theirs; then each m is made to rise with n and k, by the change
/// that is least in the squares of logarithms along each line. Throws as fit_gemm_constants.
MeasuredGemm fit_gemm(const KernelNumbers&, DType, std::span<const GemmTiming>);

}  // namespace moesim
