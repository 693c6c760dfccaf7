// Mixtral and the families that only differ from it in norms, biases and shared experts.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_mixtral(Reader&);
ModelSpec read_phimoe(Reader&);
ModelSpec read_granite(Reader&);
ModelSpec read_olmoe(Reader&);
ModelSpec read_grok(Reader&);

namespace {

void add_equal_layers(ModelSpec& model, std::int64_t count, const Gqa& attention, const MoeMlp& unit, std::int64_t norms = 2) {
  for (std::int64_t i = 0; i < count; ++i) add_layer(model, {attention, unit}, norms);
}

}  // namespace

ModelSpec read_mixtral(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.window = config.find_integer("sliding_window", kTokens).value_or(0);
  add_equal_layers(model, num_layers, attention,
                   read_experts(config, "num_local_experts", "num_experts_per_tok", "intermediate_size"));
  return model;
}

ModelSpec read_phimoe(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  model.norm_bias = true;
  model.output_bias = config.find_flag("lm_head_bias").value_or(false);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.qkv_bias = attention.out_bias = config.find_flag("attention_bias").value_or(false);
  // As long as the context window in the public file, and then without effect.
  const auto window = config.find_integer("sliding_window", kTokens);
  if (window && *window < config.find_integer("max_position_embeddings", kTokens).value_or(*window)) attention.window = *window;
  add_equal_layers(model, num_layers, attention,
                   read_experts(config, "num_local_experts", "num_experts_per_tok", "intermediate_size"));
  return model;
}

ModelSpec read_granite(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.qkv_bias = attention.out_bias = config.find_flag("attention_bias").value_or(false);
  MoeMlp unit = read_experts(config, "num_local_experts", "num_experts_per_tok", "intermediate_size");
  unit.shared_expert_ffn_hidden_size = config.find_integer("shared_intermediate_size", kOptionalWidth).value_or(0);
  add_equal_layers(model, num_layers, attention, unit);
  return model;
}

ModelSpec read_olmoe(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.qkv_bias = attention.out_bias = config.find_flag("attention_bias").value_or(false);
  attention.qk_norm = (attention.heads + attention.kv_heads) * attention.head_dim;  // over all heads at once
  add_equal_layers(model, num_layers, attention, read_experts(config, "num_experts", "num_experts_per_tok", "intermediate_size"));
  return model;
}

ModelSpec read_grok(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  const Gqa attention = read_gqa(config, model.hidden_size);
  const MoeMlp unit = read_experts(config, "num_experts", "num_experts_per_tok", "intermediate_size");
  add_equal_layers(model, num_layers, attention, unit, 4);  // a norm before and after each unit
  return model;
}

}  // namespace moesim
