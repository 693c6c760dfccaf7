// Jamba: one attention layer in attn_layer_period, Mamba in the others; MoE in one layer of expert_layer_period.
#include "base/units.h"
#include "model/families/family.h"

namespace moesim {

ModelSpec read_jamba(Reader&);

namespace {

struct Period {
  std::int64_t period = 1, offset = 0;
  bool has(std::int64_t layer) const { return layer % period == offset; }
};

Period read_period(Reader& config, std::string_view period_key, std::string_view offset_key) {
  Period p;
  p.period = config.integer(period_key, kLayers);
  p.offset = config.integer(offset_key, {0, p.period - 1});
  return p;
}

// A number, or "auto".
std::int64_t read_dt_rank(Reader& config, std::int64_t hidden_size) {
  if (!config.is_text("mamba_dt_rank")) return config.integer("mamba_dt_rank", kWidth);
  static constexpr std::string_view words[] = {"auto"};
  config.choice("mamba_dt_rank", words);
  return ceil_div(hidden_size, 16);
}

Mamba read_mamba(Reader& config, std::int64_t hidden_size) {
  Mamba m;
  m.inner = config.integer("mamba_expand", {1, 64}) * hidden_size;
  m.state = config.integer("mamba_d_state", kHeadDim);
  m.conv = config.integer("mamba_d_conv", {1, 64});
  m.dt_rank = read_dt_rank(config, hidden_size);
  return m;
}

}  // namespace

ModelSpec read_jamba(Reader& config) {
  ModelSpec model = read_frame(config);
  const std::int64_t num_layers = read_num_layers(config);
  Gqa attention = read_gqa(config, model.hidden_size);
  attention.window = config.find_integer("sliding_window", kTokens).value_or(0);
  const Mamba mamba = read_mamba(config, model.hidden_size);
  const MoeMlp unit = read_experts(config, "num_experts", "num_experts_per_tok", "intermediate_size");
  const DenseMlp dense{unit.moe_ffn_hidden_size};
  const Period softmax = read_period(config, "attn_layer_period", "attn_layer_offset");
  const Period moe = read_period(config, "expert_layer_period", "expert_layer_offset");
  for (std::int64_t i = 0; i < num_layers; ++i)
    add_layer(model, {softmax.has(i) ? Part{attention} : Part{mamba}, moe.has(i) ? Part{unit} : Part{dense}});
  return model;
}

}  // namespace moesim
