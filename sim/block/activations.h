// Bytes that one micro-batch of one layer keeps on a rank between its forward and its backward, tensor by tensor.
// Inventory: sim/block/README.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "block/settings.h"

namespace moesim {

struct SavedTensor {
  std::string_view name;       // "q, k, v after rotary"
  Bytes bytes;                 // per micro-batch on this rank; for per_token_copy tensors: per token copy
  bool per_token_copy = false; // scales with RankLoad::tokens (what ETP peers gather on top of it is in `bytes`)
};

struct SavedActivations {
  std::vector<SavedTensor> tensors;
  Bytes fixed() const;
  Bytes per_token_copy() const;
  Bytes at(std::int64_t token_copies) const { return fixed() + per_token_copy() * token_copies; }
};

SavedActivations saved_by_layer(const LayerSettings&, const LayerKind&);
SavedActivations saved_by_embedding(const LayerSettings&);
SavedActivations saved_by_mtp(const LayerSettings&);
SavedActivations saved_by_head(const LayerSettings&);
/// Largest extra memory that is live while one layer's backward recomputes (what selective or full recomputation brings back).
Bytes recompute_workspace(const LayerSettings&, const LayerKind&, std::int64_t token_copies);

}  // namespace moesim
