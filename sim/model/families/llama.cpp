// Dense decoders with a gated MLP. They differ in biases, query/key norms and where a sliding window applies.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_llama(Reader&);

namespace {

// Layers from max_window_layers on use the window (Qwen2); Mistral has one window for all.
std::vector<std::int64_t> windows(Reader& config, const std::string& type, std::int64_t num_layers) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(num_layers), 0);
  const auto size = config.find_integer("sliding_window", kTokens);
  const bool used = config.find_flag("use_sliding_window").value_or(type == "mistral");
  const auto first = config.find_integer("max_window_layers", kLayerIndex).value_or(0);
  const auto types = find_layer_types(config, num_layers, {"full_attention", "sliding_attention"});
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool windowed = types ? (*types)[at] == 1 : used && size && i >= first;
    if (windowed && !size) config.fail("sliding_window", "missing, but layer_types has sliding_attention");
    if (windowed) out[at] = *size;
  }
  return out;
}

}  // namespace

ModelSpec read_llama(Reader& config) {
  const std::string type = config.text("model_type");
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  const auto bias = config.find_flag("attention_bias");
  attention.qkv_bias = bias.value_or(type == "qwen2");
  attention.out_bias = type != "qwen2" && bias.value_or(false);
  if (type == "qwen3") attention.qk_norm = 2 * attention.head_dim;
  DenseMlp mlp{config.integer("intermediate_size", kWidth)};
  mlp.bias = config.find_flag("mlp_bias").value_or(false);
  for (std::int64_t window : windows(config, type, num_layers)) {
    attention.window = window;
    add_layer(model, {attention, mlp});
  }
  return model;
}

}  // namespace moesim
