// Qwen1.5/2-MoE (biases, a gated shared expert) and Qwen3-MoE (query/key norms, no shared expert).
#include "model/families/family.h"

namespace moesim {

ModelSpec read_qwen_moe(Reader&);

namespace {

// true where a layer is MoE: every decoder_sparse_step-th, unless listed in mlp_only_layers.
std::vector<bool> moe_layers(Reader& config, std::int64_t num_layers) {
  const std::int64_t step = config.find_integer("decoder_sparse_step", kLayers).value_or(1);
  const auto dense = find_layer_set(config, "mlp_only_layers", num_layers);
  std::vector<bool> out;
  for (std::int64_t i = 0; i < num_layers; ++i)
    out.push_back((i + 1) % step == 0 && !(dense && (*dense)[static_cast<std::size_t>(i)]));
  return out;
}

Gqa read_attention(Reader& config, std::int64_t hidden_size, bool qwen2) {
  Gqa a = read_gqa(config, hidden_size);
  const auto bias = config.find_flag("attention_bias");
  a.qkv_bias = config.find_flag("qkv_bias").value_or(bias.value_or(qwen2));
  a.out_bias = !qwen2 && bias.value_or(false);
  if (!qwen2) a.qk_norm = 2 * a.head_dim;
  return a;
}

}  // namespace

ModelSpec read_qwen_moe(Reader& config) {
  const bool qwen2 = config.text("model_type") == "qwen2_moe";
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_attention(config, model.hidden_size, qwen2);
  MoeMlp unit = read_experts(config, "num_experts", "num_experts_per_tok", "moe_intermediate_size");
  unit.shared_expert_ffn_hidden_size = config.find_integer("shared_expert_intermediate_size", kOptionalWidth).value_or(0);
  unit.shared_expert_gate = qwen2 && unit.shared_expert_ffn_hidden_size != 0;

  const std::vector<std::int64_t> windows = read_windows(config, num_layers, false);
  const std::vector<bool> moe = moe_layers(config, num_layers);
  DenseMlp dense;
  for (std::int64_t i = 0; i < num_layers; ++i) {
    attention.window = windows[static_cast<std::size_t>(i)];
    if (moe[static_cast<std::size_t>(i)]) {
      add_layer(model, {attention, unit});
      continue;
    }
    if (dense.ffn_hidden_size == 0) dense.ffn_hidden_size = config.integer("intermediate_size", kWidth);
    add_layer(model, {attention, dense});
  }
  config.ignore("intermediate_size");
  return model;
}

}  // namespace moesim
