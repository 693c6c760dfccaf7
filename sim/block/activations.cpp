#include "block/activations.h"

#include <algorithm>

#include "block/inventory.h"
#include "model/count.h"

namespace moesim {

namespace {

constexpr std::int64_t kTokenId = 8;

SavedTensor saved(const InventoryTensor& t) { return {t.name, Bytes{t.bytes}, t.per_token_copy}; }

Bytes size(const InventoryTensor& t, std::int64_t token_copies) {
  return Bytes{t.per_token_copy ? t.bytes * token_copies : t.bytes};
}

}  // namespace

Bytes SavedActivations::fixed() const {
  Bytes sum{0};
  for (const SavedTensor& t : tensors)
    if (!t.per_token_copy) sum += t.bytes;
  return sum;
}

Bytes SavedActivations::per_token_copy() const {
  Bytes sum{0};
  for (const SavedTensor& t : tensors)
    if (t.per_token_copy) sum += t.bytes;
  return sum;
}

SavedActivations saved_by_layer(const LayerSettings& s, const LayerKind& kind) {
  SavedActivations out;
  for (const Inventory& part : inventory(s, kind))
    for (const InventoryTensor& t : part)
      if (!dropped(t, s.recompute)) out.tensors.push_back(saved(t));
  return out;
}

SavedActivations saved_by_embedding(const LayerSettings& s) { return {{{"token ids", Bytes{kTokenId * s.tokens()}}}}; }

SavedActivations saved_by_mtp(const LayerSettings& s) {
  const Bytes hidden{2 * s.model->hidden_size * s.split_tokens()};
  SavedActivations out{{{"mtp token ids", Bytes{kTokenId * s.tokens()}},
                        {"mtp embedding norm input", hidden},
                        {"mtp hidden norm input", hidden},
                        {"mtp projection input", hidden * 2}}};
  for (const SavedTensor& t : saved_by_layer(s, s.model->mtp_kind()).tensors) out.tensors.push_back(t);
  return out;
}

SavedActivations saved_by_head(const LayerSettings& s) {
  const Bytes hidden{2 * s.model->hidden_size * s.split_tokens()};
  const Bytes logits{padded_vocab(s.model->vocab_size, s.parallel.tp) / s.parallel.tp * s.tokens()};
  SavedActivations out{{{"final norm input", hidden}, {"final norm output", hidden}, {"logits", logits * 2}}};
  // The fused kernel leaves the gradient where the logits were.
  if (!s.stack->cross_entropy_fusion) out.tensors.push_back({"softmax of logits", logits * 4});
  return out;
}

Bytes recompute_workspace(const LayerSettings& s, const LayerKind& kind, std::int64_t token_copies) {
  Bytes all{0}, largest{0};
  for (const Inventory& tensors : inventory(s, kind)) {
    Bytes part{0};
    for (const InventoryTensor& t : tensors)
      if (dropped(t, s.recompute)) part += size(t, token_copies);
    all += part;
    largest = std::max(largest, part);
  }
  // Selective recomputation frees one part's tensors before it rebuilds the next part's.
  return s.recompute.granularity == RecomputeGranularity::full ? all : largest;
}

}  // namespace moesim
