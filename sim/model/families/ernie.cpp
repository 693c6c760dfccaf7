// ERNIE-4.5: MoE from moe_layer_start_index on, shared experts as wide as the routed ones.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_ernie(Reader&);

namespace {

std::vector<bool> moe_layers(Reader& config, std::int64_t num_layers) {
  const std::int64_t first = config.find_integer("moe_layer_start_index", kLayerIndex).value_or(0);
  const std::int64_t last = config.find_integer("moe_layer_end_index", {-1, 1 << 12}).value_or(-1);  // -1: to the end
  const std::int64_t interval = config.find_integer("moe_layer_interval", kLayers).value_or(1);
  std::vector<bool> out;
  for (std::int64_t i = 0; i < num_layers; ++i) out.push_back(i >= first && (last == -1 || i <= last) && (i + 1) % interval == 0);
  return out;
}

}  // namespace

ModelSpec read_ernie(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  const bool bias = config.find_flag("use_bias").value_or(false);
  attention.qkv_bias = attention.out_bias = bias;
  MoeMlp unit = read_experts(config, "moe_num_experts", "moe_k", "moe_intermediate_size");
  const std::int64_t shared = config.find_integer("moe_num_shared_experts", {0, 1 << 10}).value_or(0);
  unit.shared_expert_ffn_hidden_size = shared * unit.moe_ffn_hidden_size;
  unit.selection_bias = config.find_flag("moe_use_aux_free").value_or(true);
  DenseMlp dense;
  dense.bias = bias;
  for (bool moe : moe_layers(config, num_layers)) {
    if (!moe && dense.ffn_hidden_size == 0) dense.ffn_hidden_size = config.integer("intermediate_size", kWidth);
    add_layer(model, {attention, moe ? Part{unit} : Part{dense}});
  }
  config.ignore("intermediate_size");
  model.mtp_layers = config.find_integer("num_nextn_predict_layers", kLayerIndex).value_or(0);
  return model;
}

}  // namespace moesim
