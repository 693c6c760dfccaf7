// Qwen3-Next and Qwen3.5: gated delta-net layers with gated softmax attention in every full_attention_interval-th layer.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_qwen_next(Reader&);

namespace {

DeltaNet read_delta_net(Reader& config) {
  DeltaNet a;
  a.key_heads = config.integer("linear_num_key_heads", kHeads);
  a.value_heads = config.integer("linear_num_value_heads", kHeads);
  a.key_dim = config.integer("linear_key_head_dim", kHeadDim);
  a.value_dim = config.integer("linear_value_head_dim", kHeadDim);
  a.conv = config.integer("linear_conv_kernel_dim", {1, 64});
  if (a.value_heads % a.key_heads != 0)
    config.fail("linear_num_value_heads", "found " + std::to_string(a.value_heads) +
                                              ", allowed is a multiple of linear_num_key_heads = " + std::to_string(a.key_heads));
  return a;
}

Gqa read_attention(Reader& config, std::int64_t hidden_size) {
  Gqa a = read_gqa(config, hidden_size);
  a.output_gate = config.find_flag("attn_output_gate").value_or(true);
  a.qk_norm = 2 * a.head_dim;
  const bool bias = config.find_flag("attention_bias").value_or(false);
  a.qkv_bias = a.out_bias = bias;
  return a;
}

std::vector<bool> full_attention_layers(Reader& config, std::int64_t num_layers) {
  std::vector<bool> out;
  if (const auto types = find_layer_types(config, num_layers, {"linear_attention", "full_attention"})) {
    for (std::size_t type : *types) out.push_back(type == 1);
  } else {
    const std::int64_t interval = config.integer("full_attention_interval", kLayers);
    for (std::int64_t i = 0; i < num_layers; ++i) out.push_back((i + 1) % interval == 0);
  }
  return out;
}

MoeMlp read_unit(Reader& config) {
  MoeMlp unit = read_experts(config, "num_experts", "num_experts_per_tok", "moe_intermediate_size");
  unit.shared_expert_ffn_hidden_size = config.find_integer("shared_expert_intermediate_size", kOptionalWidth).value_or(0);
  unit.shared_expert_gate = unit.shared_expert_ffn_hidden_size != 0;
  return unit;
}

}  // namespace

ModelSpec read_qwen_next(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  const DeltaNet linear = read_delta_net(config);
  const Gqa attention = read_attention(config, model.hidden_size);
  const MoeMlp unit = read_unit(config);
  const std::vector<bool> full = full_attention_layers(config, num_layers);
  const std::int64_t step = config.find_integer("decoder_sparse_step", kLayers).value_or(1);
  const auto mlp_only = find_layer_set(config, "mlp_only_layers", num_layers);
  DenseMlp dense;
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Part mixer = full[at] ? Part{attention} : Part{linear};
    const bool moe = (i + 1) % step == 0 && !(mlp_only && (*mlp_only)[at]);
    if (!moe && dense.ffn_hidden_size == 0) dense.ffn_hidden_size = config.integer("intermediate_size", kWidth);
    add_layer(model, {mixer, moe ? Part{unit} : Part{dense}});
  }
  config.ignore("intermediate_size");
  model.mtp_layers = config.find_integer("mtp_num_hidden_layers", kLayerIndex).value_or(0);
  if (model.mtp_layers != 0) set_mtp_kind(model, {attention, unit}, 2);
  return model;
}

}  // namespace moesim
