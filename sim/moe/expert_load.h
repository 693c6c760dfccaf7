// Tokens per expert: what a router's law gives for one MoE layer, one micro-batch and one expert-parallel group.
//
// Counts are drawn by key (seed, layer, step, micro-batch, group): the same for any order of asking and both levels of detail.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

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
  double exponent = 1.0;          // zipf: 0 to 10
};

/// A law made ready for one shape: draw as often as needed, from any thread.
class LoadSampler {
 public:
  virtual ~LoadSampler() = default;
  /// Fills counts[num_experts] with token copies per expert; their sum is tokens * top_k, and no count exceeds `tokens`.
  virtual void draw(const LoadKey&, std::span<std::int64_t> counts) const = 0;
};

class LoadLaw {
 public:
  virtual ~LoadLaw() = default;
  /// True if every draw is the same (no randomness, equal load on all ranks).
  virtual bool exactly_balanced() const = 0;
  /// Throws InputError for a shape or parameter out of range.
  virtual std::unique_ptr<LoadSampler> sampler(const LoadShape&, const LoadParameters&) const = 0;
  /// One draw. For many of one shape, keep the sampler: it holds what does not depend on the key.
  void draw(const LoadKey& key, const LoadShape& shape, const LoadParameters& parameters, std::span<std::int64_t> counts) const {
    sampler(shape, parameters)->draw(key, counts);
  }
};

Registry<LoadLaw> load_laws();    // balanced, multinomial, zipf

/// For laws: throws InputError unless 1 <= top_k <= num_experts and 0 <= tokens <= 2^40.
void check_load_shape(const LoadShape&);

}  // namespace moesim
