// MiniMax: M2 is Mixtral with query/key norms and sigmoid scores; Text-01 and M1 mix softmax and lightning attention.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_minimax(Reader&);

namespace {

// true where a layer has softmax attention. Where the config does not say: all of them in M2, the first and every second in the class
// that took Text-01 up (model_type "minimax").
std::vector<bool> softmax_layers(Reader& config, std::int64_t num_layers) {
  std::vector<bool> out;
  if (const auto list = find_layer_integers(config, "attn_type_list", num_layers, {0, 1})) {
    for (std::int64_t type : *list) out.push_back(type == 1);
  } else if (const auto types = find_layer_types(config, num_layers, {"linear_attention", "full_attention"})) {
    for (std::size_t type : *types) out.push_back(type == 1);
  } else {
    const bool all = config.text("model_type") != "minimax";
    for (std::int64_t i = 0; i < num_layers; ++i) out.push_back(all || i % 2 == 0);
  }
  return out;
}

std::int64_t mtp_depths(Reader& config) {
  const bool used = config.find_flag("use_mtp").value_or(true);
  const std::int64_t modules = config.find_integer("num_mtp_modules", kLayerIndex).value_or(0);
  const std::int64_t layers = config.find_integer("mtp_transformer_layers", kLayerIndex).value_or(1);
  if (used && layers > 1)
    config.fail("mtp_transformer_layers", "found " + std::to_string(layers) + ", allowed is 1: one layer a prediction depth");
  return used ? modules * layers : 0;
}

}  // namespace

ModelSpec read_minimax(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  // "per_layer": one norm over all heads at once.
  static constexpr std::string_view norm_types[] = {"per_layer", "per_head"};
  const bool per_head = config.find_choice("qk_norm_type", norm_types).value_or(0) == 1;
  if (config.find_flag("use_qk_norm").value_or(false))
    attention.qk_norm = (per_head ? 2 : attention.heads + attention.kv_heads) * attention.head_dim;
  config.ignore("mlp_intermediate_size");  // no layer uses it
  const Lightning lightning{attention.heads, attention.head_dim};

  MoeMlp unit = read_experts(config, "num_local_experts", "num_experts_per_tok", "intermediate_size");
  read_routing(config, unit, ScoreFunction::softmax, config.find_flag("use_routing_bias").value_or(false));
  unit.shared_expert_ffn_hidden_size = config.find_integer("shared_intermediate_size", kOptionalWidth).value_or(0);

  for (bool softmax : softmax_layers(config, num_layers)) {
    if (softmax)
      add_layer(model, {attention, unit});
    else
      add_layer(model, {lightning, unit});
  }
  model.mtp_layers = mtp_depths(config);
  return model;
}

}  // namespace moesim
