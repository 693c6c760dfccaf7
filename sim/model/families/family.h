// What a reader of one family of config.json files is, and the pieces that families share. One reader a file, one line in
// builtin.def; a reader asks the config for every key that shapes the architecture and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reader.h"
#include "model/spec.h"

namespace moesim {

using FamilyReader = ModelSpec (*)(Reader& config);

struct Family {
  FamilyReader read;
  std::string help;                      // "Mixtral"
  std::vector<std::string> model_types;  // values of "model_type" that it reads
};

/// All families of builtin.def, in that order.
std::vector<Family> families();

/// What keys stand for that a config of this `model_type` (a name of builtin.def) leaves out: an object, null where nothing. A key that a
/// reader asks for and that stands neither in the config nor here has no default that we know: load.cpp refuses the config.
nlohmann::ordered_json class_defaults(std::string_view model_type);

// Ranges wide enough for any real model and narrow enough that no product of one layer overflows 64 bits.
constexpr IntegerRange kWidth{1, 1 << 20};  // hidden and ffn sizes
constexpr IntegerRange kOptionalWidth{0, 1 << 20};
constexpr IntegerRange kHeads{1, 1 << 12};
constexpr IntegerRange kHeadDim{1, 1 << 13};
constexpr IntegerRange kExperts{1, 1 << 14};
constexpr IntegerRange kLayers{1, 1 << 12};
constexpr IntegerRange kLayerIndex{0, 1 << 12};
constexpr IntegerRange kVocab{1, 1 << 24};
constexpr IntegerRange kTokens{1, std::int64_t{1} << 40};

/// hidden_size, vocab_size, tie_word_embeddings under the names that most families use.
ModelSpec read_frame(Reader&);
/// num_hidden_layers.
std::int64_t read_num_layers(Reader&);

/// num_attention_heads, num_key_value_heads (null: as many), head_dim (null: hidden_size / heads, which must then divide).
Gqa read_gqa(Reader&, std::int64_t hidden_size);
/// Multi-head latent attention, with the sparse indexer if the config has one or the family always does.
Mla read_mla(Reader&, bool always_indexed = false);

/// num_experts of `experts_key`, top_k of `top_k_key`, width of `width_key`. Group-limited routing and scaling are left at none.
MoeMlp read_experts(Reader&, std::string_view experts_key, std::string_view top_k_key, std::string_view width_key);
/// scoring_func, n_group, topk_group, routed_scaling_factor; the selection bias follows topk_method where the config has one.
void read_routing(Reader&, MoeMlp&, ScoreFunction default_score, bool default_selection_bias);

/// The integers of a list that must have `length` entries, or nothing for null.
std::optional<std::vector<std::int64_t>> find_layer_integers(Reader&, std::string_view key, std::int64_t length, IntegerRange);
/// One of `allowed` a layer, as indices; nothing for null.
std::optional<std::vector<std::size_t>> find_layer_types(Reader&, std::int64_t length, std::vector<std::string> allowed,
                                                         std::string_view key = "layer_types");
/// The sliding window of each layer, 0 = full: layer_types if given, else the layers from max_window_layers on if
/// use_sliding_window (`by_default` for null).
std::vector<std::int64_t> read_windows(Reader&, std::int64_t num_layers, bool by_default);
/// Layer numbers below `num_layers`, as one flag a layer; nothing for null.
std::optional<std::vector<bool>> find_layer_set(Reader&, std::string_view key, std::int64_t num_layers);

/// One warning line for each key of the config that no reader asked for and that is not known to be without effect here.
void warn_about_unread(const Reader&, std::vector<std::string>& warnings);

/// `; did you mean it by "vocab_sise"?` for the key of the config that looks like a slip of a missing one: not one that some family
/// reads, nor one without effect. Else "".
std::string near_miss(const Reader&, std::string_view missing);

/// Appends a layer; equal layers share a kind. `norms` counts vectors of hidden_size.
void add_layer(ModelSpec&, std::vector<Part> parts, std::int64_t norms = 2);
/// Says what a multi-token prediction depth repeats, where that may differ from the last layer. Call after the last add_layer.
void set_mtp_kind(ModelSpec&, std::vector<Part> parts, std::int64_t norms);

}  // namespace moesim
