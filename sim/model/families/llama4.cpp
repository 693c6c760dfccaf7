// Llama-4, text part: one routed and one shared expert a token, MoE in every interleave_moe_layer_step-th layer, attention in
// chunks except in the layers without rotary positions.
#include "base/unit_text.h"
#include "model/families/family.h"

namespace moesim {

ModelSpec read_llama4(Reader&);

namespace {

std::vector<bool> moe_layers(Reader& config, std::int64_t num_layers) {
  const std::int64_t step = config.find_integer("interleave_moe_layer_step", kLayers).value_or(1);
  if (const auto listed = find_layer_set(config, "moe_layers", num_layers)) return *listed;
  std::vector<bool> out;
  for (std::int64_t i = 0; i < num_layers; ++i) out.push_back((i + 1) % step == 0);
  return out;
}

// no_rope_layers: 1 = rotary (and chunked), 0 = neither; an empty list stands for the interval.
std::vector<bool> chunked_layers(Reader& config, std::int64_t num_layers) {
  const std::int64_t interval = config.find_integer("no_rope_layer_interval", kLayers).value_or(4);
  const std::vector<std::int64_t> rotary = config.find_integers("no_rope_layers", {0, 1}).value_or(std::vector<std::int64_t>{});
  if (!rotary.empty() && static_cast<std::int64_t>(rotary.size()) != num_layers)
    config.fail("no_rope_layers",
                "found " + counted(static_cast<std::int64_t>(rotary.size()), "entry", "entries") + ", allowed is one a layer, " + std::to_string(num_layers));
  std::vector<bool> out;
  if (const auto types = find_layer_types(config, num_layers, {"full_attention", "chunked_attention"})) {
    for (std::size_t type : *types) out.push_back(type == 1);
    return out;
  }
  for (std::int64_t i = 0; i < num_layers; ++i)
    out.push_back(rotary.empty() ? (i + 1) % interval != 0 : rotary[static_cast<std::size_t>(i)] == 1);
  return out;
}

MoeMlp read_unit(Reader& config) {
  MoeMlp unit = read_experts(config, "num_local_experts", "num_experts_per_tok", "intermediate_size");
  unit.shared_expert_ffn_hidden_size = unit.moe_ffn_hidden_size;
  unit.score = ScoreFunction::sigmoid;
  return unit;
}

}  // namespace

ModelSpec read_llama4(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.qkv_bias = attention.out_bias = config.find_flag("attention_bias").value_or(false);
  const std::int64_t chunk = config.find_integer("attention_chunk_size", kTokens).value_or(0);
  const MoeMlp unit = read_unit(config);
  const std::vector<bool> moe = moe_layers(config, num_layers), chunked = chunked_layers(config, num_layers);
  DenseMlp dense;
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    attention.chunked = chunked[at] && chunk != 0;
    attention.window = attention.chunked ? chunk : 0;
    if (!moe[at] && dense.ffn_hidden_size == 0) dense.ffn_hidden_size = config.integer("intermediate_size_mlp", kWidth);
    add_layer(model, {attention, moe[at] ? Part{unit} : Part{dense}});
  }
  config.ignore("intermediate_size_mlp");
  return model;
}

}  // namespace moesim
