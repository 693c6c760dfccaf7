// gpt-oss: biases everywhere, attention sinks, a sliding window in every second layer.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_gpt_oss(Reader&);

namespace {

Gqa read_attention(Reader& config, std::int64_t hidden_size) {
  Gqa a = read_gqa(config, hidden_size);
  a.qkv_bias = a.out_bias = config.find_flag("attention_bias").value_or(true);
  a.sinks = true;
  return a;
}

// The two names of top-k that public files use, sometimes side by side.
MoeMlp read_unit(Reader& config) {
  const bool old_name = !config.has("num_experts_per_tok") && config.has("experts_per_token");
  MoeMlp unit =
      read_experts(config, "num_local_experts", old_name ? "experts_per_token" : "num_experts_per_tok", "intermediate_size");
  const std::int64_t other = config.find_integer("experts_per_token", kExperts).value_or(unit.top_k);
  if (!old_name && other != unit.top_k)
    config.fail("experts_per_token",
                "found " + std::to_string(other) + ", but num_experts_per_tok = " + std::to_string(unit.top_k));
  unit.expert_bias = unit.router_bias = true;
  return unit;
}

}  // namespace

ModelSpec read_gpt_oss(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_attention(config, model.hidden_size);
  const MoeMlp unit = read_unit(config);
  const std::int64_t window = config.find_integer("sliding_window", kTokens).value_or(0);
  const auto types = find_layer_types(config, num_layers, {"full_attention", "sliding_attention"});
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const bool sliding = types ? (*types)[static_cast<std::size_t>(i)] == 1 : i % 2 == 0;
    attention.window = sliding ? window : 0;
    add_layer(model, {attention, unit});
  }
  return model;
}

}  // namespace moesim
