// DeepSeek-V4: many query heads over one key/value head, compressed along the sequence by a ratio of its own in each layer.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_deepseek_v4(Reader&);

namespace {

CompressedAttention read_attention(Reader& config) {
  CompressedAttention a;
  a.heads = config.integer("num_attention_heads", kHeads);
  a.head_dim = config.integer("head_dim", kHeadDim);
  a.q_lora_rank = config.integer("q_lora_rank", kWidth);
  a.o_lora_rank = config.integer("o_lora_rank", kWidth);
  a.o_groups = config.integer("o_groups", kHeads);
  if (a.heads % a.o_groups != 0)
    config.fail("o_groups", "found " + std::to_string(a.o_groups) +
                                ", allowed is a divisor of num_attention_heads = " + std::to_string(a.heads));
  a.window = config.find_integer("sliding_window", kTokens).value_or(0);
  const std::int64_t kv_heads = config.find_integer("num_key_value_heads", kHeads).value_or(1);
  for (std::string_view key : {"attention_bias", "qk_rope_head_dim"}) config.ignore(key);  // no bias; rotary part of head_dim
  if (kv_heads != 1) config.fail("num_key_value_heads", "found " + std::to_string(kv_heads) + ", allowed is 1 in this family");
  return a;
}

struct Indexer {
  std::int64_t heads = 0, head_dim = 0, topk = 0;
};

Indexer read_indexer(Reader& config) {
  Indexer index;
  index.heads = config.integer("index_n_heads", kHeads);
  index.head_dim = config.integer("index_head_dim", kHeadDim);
  index.topk = config.integer("index_topk", {1, 1 << 24});
  return index;
}

// Only layers of ratio 4 have so many compressed positions that an indexer chooses among them.
CompressedAttention with_ratio(CompressedAttention a, std::int64_t ratio, const Indexer& index) {
  a.compress_ratio = ratio;
  if (ratio == 4) {
    a.index_heads = index.heads;
    a.index_head_dim = index.head_dim;
    a.index_topk = index.topk;
  }
  return a;
}

}  // namespace

ModelSpec read_deepseek_v4(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  model.mtp_layers = config.integer("num_nextn_predict_layers", kLayerIndex);
  const CompressedAttention attention = read_attention(config);
  const Indexer index = read_indexer(config);
  MoeMlp unit = read_experts(config, "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size");
  unit.shared_expert_ffn_hidden_size = config.find_integer("n_shared_experts", {0, 1 << 10}).value_or(0) * unit.moe_ffn_hidden_size;
  read_routing(config, unit, ScoreFunction::sqrt_softplus, true);
  const std::int64_t hashed = config.find_integer("num_hash_layers", {0, num_layers}).value_or(0);

  // One ratio a layer, prediction depths included.
  const std::vector<std::int64_t> ratios =
      find_layer_integers(config, "compress_ratios", num_layers + model.mtp_layers, {0, 1 << 20})
          .value_or(std::vector<std::int64_t>(static_cast<std::size_t>(num_layers + model.mtp_layers), 0));  // null: none
  for (std::int64_t i = 0; i < num_layers; ++i) {
    unit.hash_routed = i < hashed;
    add_layer(model, {with_ratio(attention, ratios[static_cast<std::size_t>(i)], index), unit});
  }
  unit.hash_routed = false;
  if (model.mtp_layers != 0) set_mtp_kind(model, {with_ratio(attention, ratios.back(), index), unit}, 2);
  return model;
}

}  // namespace moesim
