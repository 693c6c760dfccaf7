// Tokens per expert: what a router's law gives for one MoE layer, one micro-batch and one expert-parallel group.
//
// Counts are drawn by key (seed, layer, step, micro-batch, group): the same for any order of asking and both levels of detail.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/registry.h"

namespace moesim {

struct LoadKey {
  std::uint64_t seed = 0;
  std::int64_t layer = 0, step = 0, micro_batch = 0, group = 0;
};

struct LoadShape {
  std::int64_t tokens = 0;        // routed tokens that enter the whole EP group (all its ranks together)
  std::int64_t num_experts = 0;
  std::int64_t top_k = 0;
};

/// Parameters a law may use; unused ones are refused by the scenario reader.
struct LoadParameters {
  double exponent = 1.0;          // zipf
};

class LoadLaw {
 public:
  virtual ~LoadLaw() = default;
  /// True if every draw is the same (no randomness, equal load on all ranks).
  virtual bool exactly_balanced() const = 0;
  /// Fills counts[num_experts] with token copies per expert; their sum is tokens * top_k, and no count exceeds `tokens`.
  virtual void draw(const LoadKey&, const LoadShape&, const LoadParameters&, std::span<std::int64_t> counts) const = 0;
};

Registry<LoadLaw> load_laws();    // balanced, multinomial, zipf

}  // namespace moesim
