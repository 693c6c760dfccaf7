// The roofline of one kernel: kernels * fixed + max(arithmetic, memory); see GemmProfile and AttentionProfile.
#pragma once

#include "hw/measured.h"
#include "hw/profile.h"
#include "model/op.h"

namespace moesim {

/// The load that a kernel is part of: a training step of minutes, which power limits, or a benchmark of milliseconds.
enum class Clocks : std::uint8_t { sustained, burst };

KernelNumbers kernel_numbers(const HwProfile&, Clocks);

/// What the fp32 accumulation of a weight gradient adds to its arithmetic, seconds an element.
double accumulation_seconds(const KernelNumbers&);

/// What one kernel's time is made of, in seconds: the longer of arithmetic and memory, and what neither changes; together no less than power
/// allows under a long load. A GEMM needs a rate in its format.
struct Roofline {
  double arithmetic = 0, memory = 0, held = 0, fixed = 0;

  double seconds() const;
};
Roofline roofline(const KernelNumbers&, const Op&);

/// Seconds of all the op's kernels.
double closed_form_seconds(const KernelNumbers&, const Op&);

/// The least that power allows a multiplication under a long load, seconds; 0 for other ops and in bursts.
double held_seconds(const KernelNumbers&, const Op&);

}  // namespace moesim
