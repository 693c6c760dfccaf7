// Which models a layout can cut: the divisibility rules of Megatron-LM. Rules about sizes alone are in ParallelLayout, rules about
// layers and chunks in StageLayout.
#pragma once

#include <cstdint>

#include "model/spec.h"
#include "parallel/layout.h"

namespace moesim {

struct LayoutUse {
  std::int64_t seq_length = 0;      // 0 = no fixed length (serving): its rules are skipped
  bool sequence_parallel = true;    // only matters with tp > 1
  bool training = true;
};

/// Throws InputError for the first rule that is broken, with what was found and what is allowed, for example
/// `ep: found 48, allowed is a divisor of num_experts 128: 1, 2, 4, 8, 16, 32, 64, 128`.
void check_model_fits_layout(const ModelSpec&, const ParallelLayout&, const LayoutUse&);

}  // namespace moesim
