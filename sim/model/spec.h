// An architecture as data: a list of layer kinds, each a sequence of parts (attention or another mixer, dense or MoE unit).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace moesim {

struct Gqa {                        // grouped-query softmax attention (MHA and MQA are special cases)
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool qkv_bias = false, out_bias = false;
  bool output_gate = false;         // Qwen3-Next: a gate as wide as q
  bool sinks = false;               // gpt-oss: one learned sink a head
  std::int64_t qk_norm = 0;         // parameters of query and key norms in all: 0 = none, 2*head_dim, ...
  std::int64_t window = 0;          // sliding window in tokens, 0 = full causal
  bool chunked = false;             // Llama-4: the window is a chunk that a token never looks beyond, not a sliding one
  bool operator==(const Gqa&) const = default;
};

struct Mla {                        // multi-head latent attention
  std::int64_t heads = 0, q_lora_rank = 0 /* 0 = none */, kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0, qk_rope_head_dim = 0, v_head_dim = 0;
  std::int64_t index_heads = 0, index_head_dim = 0, index_topk = 0;  // sparse indexer, 0 = none
  bool operator==(const Mla&) const = default;
};

struct CompressedAttention {        // DeepSeek-V4 (approximate, see models/README.md): queries of many heads, one key/value head
  std::int64_t heads = 0, head_dim = 0, q_lora_rank = 0, o_lora_rank = 0, o_groups = 0;
  std::int64_t compress_ratio = 0;  // 0 = none, 4, 128
  std::int64_t index_heads = 0, index_head_dim = 0, index_topk = 0, window = 0;
  bool operator==(const CompressedAttention&) const = default;
};

struct DeltaNet {                   // gated delta-net (Qwen3-Next); dims are per head
  std::int64_t key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0, conv = 0;
  bool operator==(const DeltaNet&) const = default;
};

struct Lightning {                  // linear attention of MiniMax-Text-01
  std::int64_t heads = 0, head_dim = 0;
  bool operator==(const Lightning&) const = default;
};

struct Mamba {                      // Jamba; inner = expand * hidden_size
  std::int64_t inner = 0, state = 0, conv = 0, dt_rank = 0;
  bool operator==(const Mamba&) const = default;
};

struct Mamba2 {                     // Nemotron-3
  std::int64_t heads = 0, head_dim = 0, groups = 0, state = 0, conv = 0;
  bool operator==(const Mamba2&) const = default;
};

struct DenseMlp {
  std::int64_t ffn_hidden_size = 0;
  bool gated = true;
  bool bias = false;
  bool operator==(const DenseMlp&) const = default;
};

enum class ScoreFunction : std::uint8_t { softmax, sigmoid, sqrt_softplus };

struct MoeMlp {
  std::int64_t num_experts = 0, top_k = 0, moe_ffn_hidden_size = 0;
  std::int64_t shared_expert_ffn_hidden_size = 0;  // all shared experts together, 0 = none
  std::int64_t zero_experts = 0;                   // LongCat: identity experts the router may also choose
  std::int64_t latent_size = 0;                    // Nemotron: experts act in this width, 0 = hidden size
  bool gated = true;
  bool expert_bias = false;                        // biases in the experts (gpt-oss)
  bool router_bias = false;                        // bias of the router's linear map
  bool shared_expert_gate = false;
  bool selection_bias = false;                     // loss-free balancing bias, one a expert, counted as a weight
  ScoreFunction score = ScoreFunction::softmax;
  std::int64_t num_groups = 1, topk_groups = 1;    // group-limited routing
  double routed_scaling_factor = 1;
  bool hash_routed = false;                        // DeepSeek-V4: experts chosen by a hash of the token, not by score
  bool operator==(const MoeMlp&) const = default;
};

using Part = std::variant<Gqa, Mla, CompressedAttention, DeltaNet, Lightning, Mamba, Mamba2, DenseMlp, MoeMlp>;

struct LayerKind {
  std::string name;                 // "mla+moe"; unique in a model
  std::vector<Part> parts;          // in order; each is preceded by a norm
  std::int64_t norms = 0;           // norms of hidden_size in the layer
};

struct ModelSpec {
  std::string name;
  std::int64_t hidden_size = 0, vocab_size = 0;
  bool tie_word_embeddings = false;
  bool norm_bias = false;           // LayerNorm rather than RMSNorm
  bool output_bias = false;         // one bias a word in the output embedding (Phi-3.5-MoE)
  std::int64_t learned_positions = 0;  // learned position embeddings, 0 = rotary
  std::vector<LayerKind> kinds;     // all different
  std::vector<std::uint16_t> layers;   // kind of each layer
  std::int64_t mtp_layers = 0;      // multi-token prediction depths, each one more layer of mtp_kind()
  std::optional<LayerKind> own_mtp_kind;   // where it differs from the last layer (Nemotron-3)
  std::vector<std::string> warnings;   // keys of the config that were not understood, one line each
  double published_total_params = 0, published_active_params = 0;  // 0 = not given

  const LayerKind& kind_of(std::size_t layer) const { return kinds[layers[layer]]; }
  /// The layer that a multi-token prediction depth repeats: the kind of the last layer unless the config says otherwise.
  const LayerKind& mtp_kind() const { return own_mtp_kind ? *own_mtp_kind : kind_of(layers.size() - 1); }
  std::int64_t num_layers() const { return static_cast<std::int64_t>(layers.size()); }
  /// The MoE unit of a layer kind, or null.
  static const MoeMlp* moe(const LayerKind&);
  /// The first MoE unit of the model, or null for a dense model.
  const MoeMlp* moe() const;
};

/// Whether any layer has a part of this kind.
template <class T>
bool has_part(const ModelSpec& model) {
  for (const LayerKind& kind : model.kinds)
    for (const Part& part : kind.parts)
      if (std::holds_alternative<T>(part)) return true;
  return false;
}

/// "gqa", "gqa(window 128)", "mla", "moe": what LayerKind::name is made of.
std::string part_name(const Part&);

}  // namespace moesim
