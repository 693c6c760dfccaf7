// The roofline of one kernel: kernels * fixed + max(arithmetic, memory); see GemmProfile and AttentionProfile.
#pragma once

#include "hw/measured.h"
#include "hw/profile.h"
#include "model/op.h"

namespace moesim {

/// Clocks and data under which a kernel runs: a benchmark of milliseconds, or a training step of minutes.
enum class Clocks : std::uint8_t { sustained, burst };

KernelNumbers kernel_numbers(const HwProfile&, Clocks);

/// What the fp32 accumulation of a weight gradient adds to its arithmetic, seconds an element.
double accumulation_seconds(const KernelNumbers&);

/// Seconds of all the op's kernels. A GEMM needs a rate in its format.
double closed_form_seconds(const KernelNumbers&, const Op&);

}  // namespace moesim
