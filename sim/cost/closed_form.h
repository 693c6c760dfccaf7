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

/// What one kernel's time is made of, in seconds: the longer of arithmetic and memory, and what neither changes. A GEMM needs a rate in its
/// format.
struct Roofline {
  double arithmetic = 0, memory = 0, fixed = 0;
};
Roofline roofline(const KernelNumbers&, const Op&);

/// Seconds of all the op's kernels: max(arithmetic, memory) + fixed.
double closed_form_seconds(const KernelNumbers&, const Op&);

}  // namespace moesim
