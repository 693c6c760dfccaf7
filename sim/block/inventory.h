// Internal to block: the tensors that autograd keeps of each part, before recomputation takes some away.
#pragma once

#include <string_view>
#include <vector>

#include "block/settings.h"

namespace moesim {

struct InventoryTensor {
  std::string_view name;
  std::int64_t bytes;  // per micro-batch on the rank, or per token copy
  bool per_token_copy = false;
  std::vector<bool Recompute::*> dropped_by;  // modules of selective recomputation that bring it back
  bool layer_input = false;                   // what full recomputation keeps
};
using Inventory = std::vector<InventoryTensor>;

/// Tensors of each part of a layer, with the norms around it.
std::vector<Inventory> inventory(const LayerSettings&, const LayerKind&);

/// Whether the scenario's recomputation brings the tensor back instead of keeping it.
bool dropped(const InventoryTensor&, const Recompute&);

}  // namespace moesim
