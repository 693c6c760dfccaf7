// Which parameters travel together in the data-parallel exchanges.
#pragma once

#include <cstdint>
#include <vector>

#include "train/stage_units.h"

namespace moesim {

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
