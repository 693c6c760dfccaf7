// The units that a stage is made of and the parameters of each on one rank: the one source for what is held (memory), reduced, gathered
// and updated.
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

/// Units of each chunk of a stage, in forward order: embedding, decoder layers, multi-token prediction, one loss head for each model output
/// (1 + MTP depths). All heads share one final norm and output matrix, which the first carries: the last in backward, when their
/// gradients are complete. A table that a stage needs twice (input embedding, embedding of predicted tokens, tied output) it holds once.
std::vector<std::vector<Unit>> stage_units(const TrainScenario&, std::int64_t stage);

/// Parameters of the embedding table, or of an output matrix, on one rank.
std::int64_t table_params(const TrainScenario&);

/// Whether first and last stage both hold the embedding table, so that they sum its gradients: a tied output, or multi-token prediction.
bool shares_embedding(const TrainScenario&);

}  // namespace moesim
