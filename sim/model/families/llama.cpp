// Dense decoders with a gated MLP. They differ in biases, query/key norms and where a sliding window applies.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_llama(Reader&);

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
  for (std::int64_t window : read_windows(config, num_layers, type == "mistral")) {
    attention.window = window;
    add_layer(model, {attention, mlp});
  }
  return model;
}

}  // namespace moesim
