#include "property/random_scenario.h"

#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"

namespace moesim::test {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : stream_(seed, "random scenario") {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(stream_() % static_cast<std::uint64_t>(n)); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T pick(const std::vector<T>& from) { return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))]; }

 private:
  RandomStream stream_;
};

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = 1; d <= n; ++d)
    if (n % d == 0) out.push_back(d);
  return out;
}

/// Llama-like dense, Qwen3-like GQA with some or all layers MoE, or DeepSeek-like MLA with shared experts.
Json random_model(Dice& dice, std::int64_t layers, std::int64_t experts) {
  Json m{{"hidden_size", 512}, {"num_hidden_layers", layers}, {"num_attention_heads", 8}, {"num_key_value_heads", 8},
         {"vocab_size", 8192}, {"intermediate_size", 1536}, {"tie_word_embeddings", dice.coin()}, {"max_position_embeddings", 4096}};
  if (experts == 0) {
    m["model_type"] = "llama";
    return m;
  }
  m["moe_intermediate_size"] = 384;
  m["num_experts_per_tok"] = dice.pick<std::int64_t>({1, 2, 4});
  if (dice.coin()) {
    m["model_type"] = "qwen3_moe";
    m["head_dim"] = 64;
    m["num_experts"] = experts;
    m["decoder_sparse_step"] = dice.pick<std::int64_t>({1, 1, 2});
    return m;
  }
  m.update({{"model_type", "deepseek_v3"}, {"q_lora_rank", dice.coin() ? Json(256) : Json(nullptr)}, {"kv_lora_rank", 128}, {"qk_nope_head_dim", 64}, {"qk_rope_head_dim", 32},
            {"v_head_dim", 64}, {"n_routed_experts", experts}, {"n_shared_experts", dice.below(2)},
            {"first_k_dense_replace", dice.below(2)}, {"moe_layer_freq", 1}, {"scoring_func", "sigmoid"}, {"topk_method", "noaux_tc"},
            {"n_group", 1}, {"topk_group", 1}, {"norm_topk_prob", true}, {"routed_scaling_factor", 2.5},
            {"num_nextn_predict_layers", dice.below(2)}});
  return m;
}

/// Domains of 4 and 8, behind a switch or a mesh, so that groups straddle nodes; small fabric places, so that they straddle those too.
Json random_hardware(Dice& dice) {
  switch (dice.below(4)) {
    case 0: return "dgx-h100";
    case 1: return "alps-gh200";
    case 2: return {{"extends", "dgx-h100"}, {"name", "nodes of 4"}, {"gpus_per_node", 4}, {"scale_up", {{"domain", 4}}},
                    {"scale_out", {{"levels", Json::array({{{"name", "leaf"}, {"gpus", 16}, {"latency", "2.8 us"}}, {{"name", "spine"}, {"latency", "3.7 us"}}})},
                                    {"topology", {{"kind", "tree"}, {"routing", "adaptive"}, {"taper", 3}}}}}};
    default: return {{"extends", "dgx-h100"}, {"name", "narrow network"}, {"scale_out", {{"per_gpu", "100 Gb/s"}}}};
  }
}

Json random_recompute(Dice& dice, bool moe) {
  switch (dice.below(4)) {
    case 0: return {{"granularity", "full"}};
    case 1: return {{"granularity", "selective"}, {"modules", moe ? Json{"core_attn", "layernorm", "moe_act"} : Json{"core_attn", "layernorm"}}};
    case 2: return {{"granularity", "selective"}};
    default: return {{"granularity", "none"}};
  }
}

Json random_overlap(Dice& dice, bool distributed) {
  const bool reduce = dice.coin();
  return {{"grad_reduce", reduce}, {"param_gather", reduce && distributed && dice.coin()}};
}

}  // namespace

std::string random_scenario_text(std::uint64_t seed, const ScenarioLimits& limits) {
  Dice dice(seed);
  const std::int64_t pp = dice.pick<std::int64_t>({1, 1, 2, 2, 3, 4}), tp = dice.pick<std::int64_t>({1, 1, 2, 4});
  const std::int64_t vpp = pp > 1 ? dice.pick<std::int64_t>({1, 2}) : 1;
  const std::int64_t dp = dice.pick<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 16, 32});
  const bool moe = dice.below(5) > 0;
  const std::int64_t etp = moe ? dice.pick(divisors(tp * dp)) : 1, ep = moe ? dice.pick(divisors(tp * dp / etp)) : 1;
  const std::int64_t layers = pp * vpp * dice.pick<std::int64_t>({1, 2}) + (pp * vpp == 1 ? 1 : 0);
  const std::int64_t micro_batches = pp * dice.pick<std::int64_t>({1, 2, 3});
  const bool distributed = dice.coin();
  if (tp * pp * dp > limits.gpus || (moe && (etp > 8 || ep > 32))) return "{}";
  Json s{{"kind", "train"}, {"seed", seed}, {"gpus", tp * pp * dp}};
  s["model"] = random_model(dice, layers, moe ? ep * dice.pick<std::int64_t>({1, 2, 4}) + (ep == 1 ? 4 : 0) : 0);
  s["hardware"] = random_hardware(dice);
  if (limits.fast_host) {
    if (s["hardware"].is_string()) s["hardware"] = {{"extends", s["hardware"]}, {"name", s["hardware"]}};
    s["hardware"]["host"] = {{"cpu_factor", 0.01}};
  }
  s["parallel"] = {{"tp", tp}, {"pp", pp}, {"vpp", vpp}, {"ep", ep}, {"etp", etp}, {"order", dice.pick<std::string>({"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"})}};
  s["batch"] = {{"seq_length", dice.pick<std::int64_t>({256, 1024, 3072})}, {"micro_batch_size", dice.pick<std::int64_t>({1, 2})}};
  s["batch"]["global_batch_size"] = micro_batches * dp * s["batch"]["micro_batch_size"].get<std::int64_t>();
  s["overlap"] = random_overlap(dice, distributed);
  if (vpp > 1) s["overlap"]["p2p"] = dice.below(3) > 0;
  if (s["parallel"]["tp"] > 1) s["overlap"]["tp"] = dice.coin();
  s["optimizer"] = {{"distributed", distributed}};
  s["recompute"] = random_recompute(dice, moe);
  if (!moe) {
    s["parallel"].erase("etp");
    s["parallel"]["sequence_parallel"] = dice.coin();
    return s.dump();
  }
  s["moe"] = {{"load", {{"law", limits.load_law}}}, {"dispatcher", dice.pick<std::string>({"allgather", "alltoall", "deepep"})}};
  if (dice.below(4) == 0) s["moe"]["capacity_factor"] = 1.25;
  if (dice.below(3) == 0 && s["hardware"] != "alps-gh200") s["precision"] = {{"compute", "fp8"}, {"dispatch", "fp8"}, {"grad_reduce", "bf16"}};
  return s.dump();
}

TrainScenario scenario(const std::string& text) { return read_train_scenario(Document::parse(text, "random.json"), MOESIM_SOURCE_DIR); }

std::optional<TrainScenario> random_scenario(std::uint64_t seed, const ScenarioLimits& limits) {
  try {
    return scenario(random_scenario_text(seed, limits));
  } catch (const InputError&) { return std::nullopt; }
}

}  // namespace moesim::test
