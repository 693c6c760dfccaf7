#include <algorithm>

#include "base/error.h"
#include "base/unit_text.h"
#include "model/families/family.h"

namespace moesim {

namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

}  // namespace

ModelSpec read_frame(Reader& config) {
  ModelSpec model;
  model.hidden_size = config.integer("hidden_size", kWidth);
  model.vocab_size = config.integer("vocab_size", kVocab);
  model.tie_word_embeddings = config.find_flag("tie_word_embeddings").value_or(false);
  return model;
}

std::int64_t read_num_layers(Reader& config) { return config.integer("num_hidden_layers", kLayers); }

Gqa read_gqa(Reader& config, std::int64_t hidden_size) {
  Gqa a;
  a.heads = config.integer("num_attention_heads", kHeads);
  a.kv_heads = config.find_integer("num_key_value_heads", kHeads).value_or(a.heads);
  if (a.heads % a.kv_heads != 0)
    config.fail("num_key_value_heads",
                "found " + text(a.kv_heads) + ", allowed is a divisor of num_attention_heads = " + text(a.heads));
  if (const auto dim = config.find_integer("head_dim", kHeadDim)) {
    a.head_dim = *dim;
  } else if (hidden_size % a.heads == 0) {
    a.head_dim = hidden_size / a.heads;
  } else {
    config.fail("num_attention_heads", "found " + text(a.heads) + ", allowed is a divisor of hidden_size = " + text(hidden_size) +
                                           " where there is no head_dim");
  }
  return a;
}

Mla read_mla(Reader& config, bool always_indexed) {
  Mla a;
  a.heads = config.integer("num_attention_heads", kHeads);
  a.q_lora_rank = config.find_integer("q_lora_rank", kOptionalWidth).value_or(0);
  a.kv_lora_rank = config.integer("kv_lora_rank", kWidth);
  a.qk_nope_head_dim = config.integer("qk_nope_head_dim", kHeadDim);
  a.qk_rope_head_dim = config.integer("qk_rope_head_dim", kHeadDim);
  a.v_head_dim = config.integer("v_head_dim", kHeadDim);
  if (always_indexed || config.has("index_n_heads")) {
    a.index_heads = config.integer("index_n_heads", kHeads);
    a.index_head_dim = config.integer("index_head_dim", kHeadDim);
    a.index_topk = config.integer("index_topk", {1, 1 << 24});
  }
  for (std::string_view key : {"num_key_value_heads", "head_dim", "qk_head_dim", "attention_bias"}) config.ignore(key);
  return a;
}

MoeMlp read_experts(Reader& config, std::string_view experts_key, std::string_view top_k_key, std::string_view width_key) {
  MoeMlp unit;
  unit.num_experts = config.integer(experts_key, kExperts);
  unit.top_k = config.integer(top_k_key, kExperts);
  if (unit.top_k > unit.num_experts)
    config.fail(top_k_key,
                "found " + text(unit.top_k) + ", allowed is at most " + std::string(experts_key) + " = " + text(unit.num_experts));
  unit.moe_ffn_hidden_size = config.integer(width_key, kWidth);
  return unit;
}

namespace {

void read_groups(Reader& config, MoeMlp& unit) {
  unit.num_groups = config.find_integer("n_group", kExperts).value_or(1);
  unit.topk_groups = config.find_integer("topk_group", kExperts).value_or(unit.num_groups);
  if (unit.num_experts % unit.num_groups != 0)
    config.fail("n_group",
                "found " + text(unit.num_groups) + ", allowed is a divisor of the number of experts, " + text(unit.num_experts));
  if (unit.topk_groups > unit.num_groups)
    config.fail("topk_group", "found " + text(unit.topk_groups) + ", allowed is at most n_group = " + text(unit.num_groups));
  const std::int64_t reachable = unit.topk_groups * (unit.num_experts / unit.num_groups);
  if (unit.top_k > reachable)
    config.fail("topk_group", "found " + text(unit.topk_groups) + ": the chosen groups hold " + text(reachable) +
                                  " experts, fewer than the " + text(unit.top_k) + " that a token needs");
}

}  // namespace

void read_routing(Reader& config, MoeMlp& unit, ScoreFunction default_score, bool default_selection_bias) {
  static constexpr std::string_view scores[] = {"softmax", "sigmoid", "sqrtsoftplus"};
  unit.score = default_score;
  if (const auto score = config.find_choice("scoring_func", scores)) unit.score = static_cast<ScoreFunction>(*score);
  const auto method = config.find_text("topk_method");
  unit.selection_bias = method ? *method == "noaux_tc" : default_selection_bias;
  read_groups(config, unit);
  // Without a group limit ("greedy") the groups, if given, are not used.
  if (method && *method == "greedy") unit.num_groups = unit.topk_groups = 1;
  unit.routed_scaling_factor = config.find_number("routed_scaling_factor", {0, 1e6}).value_or(1);
}

std::optional<std::vector<std::int64_t>> find_layer_integers(Reader& config, std::string_view key, std::int64_t length,
                                                             IntegerRange range) {
  std::optional<std::vector<std::int64_t>> out = config.find_integers(key, range);
  if (out && static_cast<std::int64_t>(out->size()) != length)
    config.fail(key, "found " + counted(static_cast<std::int64_t>(out->size()), "entry", "entries") + ", allowed is one a layer, " + text(length));
  return out;
}

std::optional<std::vector<std::size_t>> find_layer_types(Reader& config, std::int64_t length, std::vector<std::string> allowed,
                                                         std::string_view key) {
  const std::optional<std::vector<std::string>> types = config.find_texts(key);
  if (!types) return {};
  if (static_cast<std::int64_t>(types->size()) != length)
    config.fail(key, "found " + counted(static_cast<std::int64_t>(types->size()), "entry", "entries") + ", allowed is one a layer, " + text(length));
  std::vector<std::size_t> out;
  for (const std::string& type : *types) {
    const auto at = std::find(allowed.begin(), allowed.end(), type);
    if (at == allowed.end()) {
      std::string list;
      for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
      config.fail(key, "found \"" + shortened(type) + "\", allowed is " + list + did_you_mean(type, allowed));
    }
    out.push_back(static_cast<std::size_t>(at - allowed.begin()));
  }
  return out;
}

std::vector<std::int64_t> read_windows(Reader& config, std::int64_t num_layers, bool by_default) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(num_layers), 0);
  const auto size = config.find_integer("sliding_window", kTokens);
  const bool used = config.find_flag("use_sliding_window").value_or(by_default) && size;
  const std::int64_t first = used || config.has("max_window_layers") ? config.find_integer("max_window_layers", kLayerIndex).value_or(0) : 0;
  const auto types = find_layer_types(config, num_layers, {"full_attention", "sliding_attention"});
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool windowed = types ? (*types)[at] == 1 : used && i >= first;
    const bool known = used || config.has("sliding_window");   // the class forgets a width that is not used
    if (windowed && !(size && known)) config.fail("layer_types", "found sliding_attention, but there is no sliding_window");
    if (windowed) out[at] = *size;
  }
  return out;
}

std::optional<std::vector<bool>> find_layer_set(Reader& config, std::string_view key, std::int64_t num_layers) {
  const std::optional<std::vector<std::int64_t>> listed = config.find_integers(key, {0, num_layers - 1});
  if (!listed) return {};
  std::vector<bool> out(static_cast<std::size_t>(num_layers), false);
  for (std::int64_t layer : *listed) out[static_cast<std::size_t>(layer)] = true;
  return out;
}

namespace {

LayerKind make_kind(std::vector<Part> parts, std::int64_t norms) {
  LayerKind kind{"", std::move(parts), norms};
  for (const Part& part : kind.parts) kind.name += (kind.name.empty() ? "" : "+") + part_name(part);
  return kind;
}

bool equal(const LayerKind& a, const LayerKind& b) { return a.parts == b.parts && a.norms == b.norms; }

}  // namespace

void set_mtp_kind(ModelSpec& model, std::vector<Part> parts, std::int64_t norms) {
  LayerKind kind = make_kind(std::move(parts), norms);
  if (!equal(kind, model.kind_of(model.layers.size() - 1))) model.own_mtp_kind = std::move(kind);
}

void add_layer(ModelSpec& model, std::vector<Part> parts, std::int64_t norms) {
  LayerKind kind = make_kind(std::move(parts), norms);
  std::size_t same_name = 0;
  const std::string name = kind.name;
  for (std::size_t i = 0; i < model.kinds.size(); ++i) {
    const LayerKind& known = model.kinds[i];
    if (equal(known, kind)) {
      model.layers.push_back(static_cast<std::uint16_t>(i));
      return;
    }
    if (known.name == name || known.name.rfind(name + " #", 0) == 0) ++same_name;
  }
  if (same_name != 0) kind.name += " #" + std::to_string(same_name + 1);
  model.layers.push_back(static_cast<std::uint16_t>(model.kinds.size()));
  model.kinds.push_back(std::move(kind));
}

}  // namespace moesim
