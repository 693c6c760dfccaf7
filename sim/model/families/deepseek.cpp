// DeepSeek-V2 and its line: first layers dense, then routed and shared experts of one width. Attention is latent (MLA) in DeepSeek,
// Kimi, Moonlight and GLM-5, grouped-query in GLM-4.5 and dots.llm1.
#include "model/families/family.h"

namespace moesim {

ModelSpec read_deepseek(Reader&);
ModelSpec read_glm_moe(Reader&);

namespace {

// true where a layer is MoE, by mlp_layer_types or by first_k_dense_replace and moe_layer_freq; if both are given, they must agree.
std::vector<bool> moe_layers(Reader& config, std::int64_t num_layers) {
  const auto types = find_layer_types(config, num_layers, {"dense", "sparse"}, "mlp_layer_types");
  const bool by_rule = !types || config.has("first_k_dense_replace");
  const std::int64_t first = by_rule ? config.integer("first_k_dense_replace", {0, num_layers}) : 0;
  const std::int64_t every = config.find_integer("moe_layer_freq", kLayers).value_or(1);
  std::vector<bool> out;
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const bool listed = types && (*types)[static_cast<std::size_t>(i)] == 1, ruled = i >= first && i % every == 0;
    if (types && by_rule && listed != ruled)
      config.fail("mlp_layer_types",
                  "layer " + std::to_string(i) + " contradicts first_k_dense_replace = " + std::to_string(first));
    out.push_back(types ? listed : ruled);
  }
  return out;
}

MoeMlp read_unit(Reader& config, ScoreFunction score, bool selection_bias) {
  MoeMlp unit = read_experts(config, "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size");
  const std::int64_t shared = config.find_integer("n_shared_experts", {0, 1 << 10}).value_or(0);
  unit.shared_expert_ffn_hidden_size = shared * unit.moe_ffn_hidden_size;
  read_routing(config, unit, score, selection_bias);
  return unit;
}

void add_layers(Reader& config, ModelSpec& model, const Part& attention, const MoeMlp& unit) {
  const std::int64_t num_layers = read_num_layers(config);
  DenseMlp dense;
  for (bool moe : moe_layers(config, num_layers)) {
    if (!moe && dense.ffn_hidden_size == 0) dense.ffn_hidden_size = config.integer("intermediate_size", kWidth);
    add_layer(model, {attention, moe ? Part{unit} : Part{dense}});
  }
  config.ignore("intermediate_size");
  model.mtp_layers = config.find_integer("num_nextn_predict_layers", kLayerIndex).value_or(0);
}

}  // namespace

ModelSpec read_deepseek(Reader& config) {
  const std::string type = config.text("model_type");
  const bool v2 = type == "deepseek_v2";
  ModelSpec model = read_frame(config);
  const Mla attention = read_mla(config, type == "deepseek_v32" || type == "glm_moe_dsa");
  const MoeMlp unit = read_unit(config, v2 ? ScoreFunction::softmax : ScoreFunction::sigmoid, !v2);
  add_layers(config, model, attention, unit);
  return model;
}

ModelSpec read_glm_moe(Reader& config) {
  const bool dots = config.text("model_type") == "dots1";
  ModelSpec model = read_frame(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  const bool bias = config.find_flag("attention_bias").value_or(false);
  attention.qkv_bias = bias;
  attention.out_bias = bias && dots;
  if (config.find_flag("use_qk_norm").value_or(dots)) attention.qk_norm = 2 * attention.head_dim;
  const MoeMlp unit = read_unit(config, ScoreFunction::sigmoid, true);
  add_layers(config, model, attention, unit);
  return model;
}

}  // namespace moesim
