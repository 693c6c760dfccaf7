// Hunyuan-A13B: the MoE quantities are either one number or a list with one entry a layer.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_hunyuan(Reader&);

namespace {

std::vector<std::int64_t> per_layer(Reader& config, std::string_view key, std::int64_t num_layers, IntegerRange range) {
  if (config.is_list(key)) return *find_layer_integers(config, key, num_layers, range);
  return std::vector<std::int64_t>(static_cast<std::size_t>(num_layers), config.integer(key, range));
}

Gqa read_attention(Reader& config, std::int64_t hidden_size) {
  if (config.find_flag("use_mla").value_or(false))
    config.fail("use_mla", "found true, allowed is false: latent attention is not read here");
  for (std::string_view key : {"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"})
    config.ignore(key);
  Gqa a = read_gqa(config, hidden_size);
  if (const auto dim = config.find_integer("attention_head_dim", kHeadDim); dim && !config.has("head_dim")) a.head_dim = *dim;
  a.qkv_bias = a.out_bias = config.find_flag("attention_bias").value_or(false);
  if (config.find_flag("use_qk_norm").value_or(false)) a.qk_norm = 2 * a.head_dim;
  return a;
}

}  // namespace

ModelSpec read_hunyuan(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  const Gqa attention = read_attention(config, model.hidden_size);
  const auto experts = per_layer(config, "num_experts", num_layers, kExperts);
  const auto top_k = per_layer(config, "moe_topk", num_layers, kExperts);
  const auto width = per_layer(config, "moe_intermediate_size", num_layers, kWidth);
  const auto shared = per_layer(config, "num_shared_expert", num_layers, {0, 1 << 10});
  const std::int64_t skipped = config.find_integer("moe_layer_num_skipped", {0, num_layers}).value_or(0);
  DenseMlp dense;
  dense.bias = config.find_flag("mlp_bias").value_or(false);
  config.ignore("routed_scaling_factor");  // a flag in some files, a number in others
  if (skipped != 0)
    dense.ffn_hidden_size = config.integer("intermediate_size", kWidth);
  else
    config.ignore("intermediate_size");
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (top_k[at] > experts[at])
      config.fail("moe_topk",
                  "found " + std::to_string(top_k[at]) + ", allowed is at most num_experts = " + std::to_string(experts[at]));
    MoeMlp unit;
    unit.expert_bias = dense.bias;
    unit.num_experts = experts[at];
    unit.top_k = top_k[at];
    unit.moe_ffn_hidden_size = width[at];
    unit.shared_expert_ffn_hidden_size = shared[at] * width[at];
    add_layer(model, {attention, i < skipped ? Part{dense} : Part{unit}});
  }
  return model;
}

}  // namespace moesim
