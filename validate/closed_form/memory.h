// Bytes of training state on paper. Oracles for tests; includes nothing of sim/.
#pragma once

#include <cstdint>

namespace closed_form {

/// Weights in bf16 (2), main gradients in fp32 (4), main weights and two moments in fp32 (12, divided by the d ranks of the distributed
/// optimizer): 18 bytes a parameter, or 6 + 12 / d. (Megatron-LM, theoretical_memory_usage.py.)
inline double state_bytes_per_parameter(bool distributed_optimizer, std::int64_t d) {
  return distributed_optimizer ? 6 + 12.0 / static_cast<double>(d) : 18;
}

/// Weights of a GPT: 12 h^2 a layer (4 h^2 attention, 8 h^2 an ungated unit of width 4 h) and two embeddings. Norms and biases left out.
inline double gpt_parameters(std::int64_t layers, std::int64_t hidden_size, std::int64_t vocab_size) {
  const double h = static_cast<double>(hidden_size);
  return 12 * h * h * static_cast<double>(layers) + 2 * h * static_cast<double>(vocab_size);
}

}  // namespace closed_form
