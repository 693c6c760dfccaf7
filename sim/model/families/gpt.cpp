// The classic GPT block: LayerNorm and biases everywhere, full multi-head attention, an ungated MLP (4h unless the config of a GPT-2 says).
#include "model/families/family.h"

namespace moesim {

ModelSpec read_gpt(Reader&);

namespace {

ModelSpec build(ModelSpec model, std::int64_t num_layers, std::int64_t heads, std::int64_t ffn, bool attention_bias) {
  model.norm_bias = true;
  const Gqa attention{.heads = heads,
                      .kv_heads = heads,
                      .head_dim = model.hidden_size / heads,
                      .qkv_bias = attention_bias,
                      .out_bias = attention_bias};
  const DenseMlp mlp{ffn, false, true};
  for (std::int64_t i = 0; i < num_layers; ++i) add_layer(model, {attention, mlp});
  return model;
}

std::int64_t read_heads(Reader& config, std::string_view key, std::int64_t hidden_size) {
  const std::int64_t heads = config.integer(key, kHeads);
  if (hidden_size % heads != 0)
    config.fail(key,
                "found " + std::to_string(heads) + ", allowed is a divisor of the hidden size, " + std::to_string(hidden_size));
  return heads;
}

ModelSpec read_gpt2(Reader& config) {
  ModelSpec model;
  model.hidden_size = config.integer("n_embd", kWidth);
  model.vocab_size = config.integer("vocab_size", kVocab);
  model.tie_word_embeddings = config.find_flag("tie_word_embeddings").value_or(true);
  model.learned_positions = config.integer("n_positions", {1, 1 << 24});
  const std::int64_t ffn = config.find_integer("n_inner", kWidth).value_or(4 * model.hidden_size);
  const std::int64_t num_layers = config.integer("n_layer", kLayers);
  const std::int64_t heads = read_heads(config, "n_head", model.hidden_size);
  return build(std::move(model), num_layers, heads, ffn, true);
}

ModelSpec read_gpt_neox(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t ffn = config.integer("intermediate_size", kWidth);
  const std::int64_t num_layers = read_num_layers(config);
  const std::int64_t heads = read_heads(config, "num_attention_heads", model.hidden_size);
  const bool bias = config.find_flag("attention_bias").value_or(true);
  return build(std::move(model), num_layers, heads, ffn, bias);
}

}  // namespace

ModelSpec read_gpt(Reader& config) { return config.text("model_type") == "gpt2" ? read_gpt2(config) : read_gpt_neox(config); }

}  // namespace moesim
