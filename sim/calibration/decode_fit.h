// Timed decode attention -> constants of the form and a surface of ratios over it.
#pragma once

#include <span>

#include "cost/decode_attention.h"

namespace moesim {

struct DecodeTiming {
  DecodeCase op;
  double seconds = 0;
};

/// Ratios over a factor of three are cut there: a few published timings are ten to a hundred times off. Throws InputError without timings.
MeasuredForm fit_decode(const HwProfile&, std::span<const DecodeTiming>);

}  // namespace moesim
