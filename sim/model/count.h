// Parameters, FLOPs and KV bytes of an architecture, unsharded. Formulas: models/README.md; FLOPs by Megatron-LM's
// num_floating_point_operations (causal half of attention; router, norms, softmax and look-ups not counted).
#pragma once

#include <cstdint>

#include "model/spec.h"

namespace moesim {

/// Parameters of one part or layer, split the way memory and sharding need it.
struct ParamCount {
  std::int64_t sharded = 0;       // attention and dense MLP, shared experts: divided by TP
  std::int64_t replicated = 0;    // norms, router, latent down-projections, gates: on every TP rank
  std::int64_t routed = 0;        // routed experts, all of them: divided by ETP * EP
  std::int64_t routed_active = 0; // of those, used by one token
  std::int64_t total() const { return sharded + replicated + routed; }
  std::int64_t active() const { return sharded + replicated + routed_active; }
};

ParamCount count_params(const Part&, std::int64_t hidden_size);
ParamCount count_params(const LayerKind&, std::int64_t hidden_size, bool norm_bias = false);

struct ModelParams {
  ParamCount layers;              // all layers, without multi-token prediction
  ParamCount mtp;                 // multi-token prediction blocks
  std::int64_t input_embedding = 0, output_embedding = 0 /* 0 if tied */, final_norm = 0;
  std::int64_t total() const;     // without mtp, as vendors publish
  std::int64_t active() const;    // without mtp, both embeddings
};
ModelParams count_params(const ModelSpec&);

/// Megatron's vocabulary padding: the next multiple of divisor * tp.
std::int64_t padded_vocab(std::int64_t vocab_size, std::int64_t tp, std::int64_t divisor = 128);

/// Model FLOPs of one token, forward and backward (6 x multiply-adds), at sequence length `seq_length`, by Megatron's count.
double flops_per_token(const ModelSpec&, std::int64_t seq_length, std::int64_t tp = 1);

/// Bytes of key/value cache (or recurrent state amortised over `seq_length`) a token, all layers, 2 bytes an element.
double kv_bytes_per_token(const ModelSpec&, std::int64_t seq_length = 4096);

}  // namespace moesim
