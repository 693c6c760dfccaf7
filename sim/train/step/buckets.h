// The units of a stage's chunks, in forward order: embedding, decoder layers, multi-token prediction, loss head; with the parameters
// of each on one rank.
#pragma once

#include <cstdint>
#include <vector>

#include "train/scenario.h"

namespace moesim {

struct Unit {
  enum class Kind : std::uint8_t { embedding, layer, mtp, head };
  Kind kind{};
  std::uint32_t layer = 0;          // global layer; num_layers + depth for MTP
  std::int64_t dense = 0;           // parameters on one rank, not counting routed experts
  std::int64_t routed = 0;          // parameters of routed experts on one rank
};

/// Units of one chunk.
std::vector<Unit> chunk_units(const TrainScenario&, std::int64_t stage, std::int64_t chunk);

/// A run of consecutive units whose gradients (and parameters) travel together.
struct Bucket {
  std::size_t first = 0, last = 0;  // units, inclusive; the first one's backward completes the bucket
  std::int64_t params = 0;
  bool routed = false;
};

/// Megatron: with overlap, buckets of at least max(40 M, 1 M x DP) parameters on the first stage's first chunk; one bucket a chunk elsewhere.
/// Dense and routed parameters have buckets of their own.
std::vector<Bucket> chunk_buckets(const std::vector<Unit>&, bool bucketed, std::int64_t dp);

}  // namespace moesim
