// Timed causal attention of whole sequences -> constants of its form and ratios over it.
#pragma once

#include <span>

#include "cost/prefill_attention.h"

namespace moesim {

struct PrefillTiming {
  PrefillCase op;
  double seconds = 0;
};

/// Over the closed form's numbers at burst clocks. Ratios over a factor of three are cut there. Throws InputError without timings.
MeasuredForm fit_prefill(const KernelNumbers&, std::span<const PrefillTiming>);

}  // namespace moesim
