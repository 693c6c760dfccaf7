// LongCat-Flash: a block is two latent attentions and two dense MLPs, with one MoE unit on a shortcut past the first MLP and second
// attention; the router may also choose experts that return their input.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_longcat(Reader&);

namespace {

MoeMlp read_unit(Reader& config) {
  MoeMlp unit;
  unit.num_experts = config.integer("n_routed_experts", kExperts);
  unit.zero_experts = config.find_integer("zero_expert_num", {0, 1 << 14}).value_or(0);
  unit.top_k = config.integer("moe_topk", kExperts);
  if (unit.top_k > unit.num_experts + unit.zero_experts)
    config.fail("moe_topk", "found " + std::to_string(unit.top_k) + ", allowed is at most n_routed_experts + zero_expert_num = " +
                                std::to_string(unit.num_experts + unit.zero_experts));
  unit.moe_ffn_hidden_size = config.integer("expert_ffn_hidden_size", kWidth);
  unit.router_bias = config.find_flag("router_bias").value_or(false);
  unit.selection_bias = true;
  unit.routed_scaling_factor = config.find_number("routed_scaling_factor", {0, 1e6}).value_or(1);
  return unit;
}

}  // namespace

ModelSpec read_longcat(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t blocks = config.integer("num_layers", kLayers);
  // Newer files also count the attention layers.
  const std::int64_t attentions = config.find_integer("num_hidden_layers", {1, 1 << 13}).value_or(2 * blocks);
  if (attentions != blocks && attentions != 2 * blocks)
    config.fail("num_hidden_layers",
                "found " + std::to_string(attentions) + ", allowed is num_layers or twice as many, " + std::to_string(2 * blocks));
  const Mla attention = read_mla(config);
  const MoeMlp unit = read_unit(config);
  const DenseMlp dense{config.integer("ffn_hidden_size", kWidth)};
  for (std::int64_t i = 0; i < blocks; ++i) add_layer(model, {attention, unit, dense, attention, dense}, 4);
  model.mtp_layers = config.find_integer("num_nextn_predict_layers", kLayerIndex).value_or(0);
  return model;
}

}  // namespace moesim
