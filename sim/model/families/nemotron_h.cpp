// Nemotron-3: one unit a layer, spelled by hybrid_override_pattern: M Mamba-2, * attention, E MoE, - dense MLP.
#include "base/unit_text.h"
#include "model/families/family.h"

namespace moesim {

ModelSpec read_nemotron_h(Reader&);

namespace {

Mamba2 read_mamba2(Reader& config) {
  Mamba2 m;
  m.heads = config.integer("mamba_num_heads", kHeads);
  m.head_dim = config.integer("mamba_head_dim", kHeadDim);
  m.groups = config.integer("n_groups", kHeads);
  m.state = config.integer("ssm_state_size", kHeadDim);
  m.conv = config.integer("conv_kernel", {1, 64});
  return m;
}

MoeMlp read_unit(Reader& config) {
  MoeMlp unit = read_experts(config, "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size");
  const std::int64_t shared = config.find_integer("n_shared_experts", {0, 1 << 10}).value_or(0);
  if (shared != 0) unit.shared_expert_ffn_hidden_size = config.integer("moe_shared_expert_intermediate_size", kOptionalWidth);
  config.ignore("moe_shared_expert_intermediate_size");
  unit.latent_size = config.find_integer("moe_latent_size", kOptionalWidth).value_or(0);
  unit.gated = false;
  read_routing(config, unit, ScoreFunction::sigmoid, true);
  return unit;
}

// Reads the keys of a unit when the pattern first names it: a model without Mamba layers needs no Mamba keys.
class Units {
 public:
  Units(Reader& config, std::int64_t hidden_size) : config_(config), hidden_size_(hidden_size) {}

  Part part(std::string_view key, char letter) {
    switch (letter) {
      case 'M':
        return once(mamba2_, [&] { return read_mamba2(config_); });
      case 'E':
        return once(moe_, [&] { return read_unit(config_); });
      case '*':
        return once(attention_, [&] { return attention(); });
      case '-':
        return once(dense_, [&] { return dense(); });
      default:
        config_.fail(key,
                     std::string("found the letter \"") + letter + "\", allowed are M (Mamba-2), E (MoE), * (attention), - (MLP)");
    }
  }

  void ignore_rest() {
    for (std::string_view key :
         {"mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel", "intermediate_size", "mlp_bias"})
      config_.ignore(key);
  }

 private:
  template <class Unit, class Read>
  static Part once(std::optional<Unit>& unit, Read read) {
    if (!unit) unit = read();
    return *unit;
  }

  Gqa attention() {
    Gqa a = read_gqa(config_, hidden_size_);
    a.qkv_bias = a.out_bias = config_.find_flag("attention_bias").value_or(false);
    a.window = config_.find_integer("sliding_window", kTokens).value_or(0);
    return a;
  }

  DenseMlp dense() { return {config_.integer("intermediate_size", kWidth), false, config_.find_flag("mlp_bias").value_or(false)}; }

  Reader& config_;
  std::int64_t hidden_size_;
  std::optional<Mamba2> mamba2_;
  std::optional<MoeMlp> moe_;
  std::optional<Gqa> attention_;
  std::optional<DenseMlp> dense_;
};

void add_layers(Reader& config, ModelSpec& model, Units& units) {
  const std::int64_t num_layers = read_num_layers(config);
  const std::string pattern = config.text("hybrid_override_pattern");
  if (static_cast<std::int64_t>(pattern.size()) != num_layers)
    config.fail("hybrid_override_pattern",
                "found " + counted(static_cast<std::int64_t>(pattern.size()), "letter") + ", allowed is one a layer, " + std::to_string(num_layers));
  for (char letter : pattern) add_layer(model, {units.part("hybrid_override_pattern", letter)}, 1);
}

// A prediction depth is as many units as its own pattern has letters.
void read_mtp(Reader& config, ModelSpec& model, Units& units) {
  model.mtp_layers = config.find_integer("num_nextn_predict_layers", kLayerIndex).value_or(0);
  const std::string pattern = config.find_text("mtp_hybrid_override_pattern").value_or("");
  if (model.mtp_layers == 0 || pattern.empty()) return;
  if (pattern.size() > 64) config.fail("mtp_hybrid_override_pattern", "found over 64 letters");
  std::vector<Part> parts;
  for (char letter : pattern) parts.push_back(units.part("mtp_hybrid_override_pattern", letter));
  const auto norms = static_cast<std::int64_t>(parts.size());
  set_mtp_kind(model, std::move(parts), norms);
}

}  // namespace

ModelSpec read_nemotron_h(Reader& config) {
  ModelSpec model = read_frame(config);
  Units units(config, model.hidden_size);
  add_layers(config, model, units);
  read_mtp(config, model, units);
  units.ignore_rest();
  return model;
}

}  // namespace moesim
