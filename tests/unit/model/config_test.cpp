// What a config.json may leave out, may contain, and may not: exact texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "model/count.h"
#include "model/load.h"

namespace moesim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json mixtral() {
  return Json::parse(R"({"model_type": "mixtral", "hidden_size": 1024, "intermediate_size": 512, "num_hidden_layers": 4,
    "num_attention_heads": 8, "num_key_value_heads": 4, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 1000})");
}

Json deepseek() {
  return Json::parse(R"({"model_type": "deepseek_v3", "hidden_size": 1024, "intermediate_size": 4096, "moe_intermediate_size": 512,
    "num_hidden_layers": 4, "num_attention_heads": 8, "q_lora_rank": 256, "kv_lora_rank": 128, "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 32, "v_head_dim": 64, "n_routed_experts": 16, "n_shared_experts": 1, "num_experts_per_tok": 4,
    "first_k_dense_replace": 1, "n_group": 4, "topk_group": 2, "topk_method": "noaux_tc", "scoring_func": "sigmoid",
    "routed_scaling_factor": 2.5, "num_nextn_predict_layers": 1, "vocab_size": 1000})");
}

ModelSpec parse(const Json& config) { return parse_model(Document::parse(config.dump(), "config.json")); }

std::string error(const Json& config) {
  try {
    parse(config);
  } catch (const InputError& e) { return e.what(); }
  return "no error";
}

std::string error_with(Json config, const char* key, Json value) {
  config[key] = std::move(value);
  return error(config);
}

std::string error_without(Json config, const char* key) {
  config.erase(key);
  return error(config);
}

TEST(Config, BecomesLayersOfNamedKinds) {
  const ModelSpec model = parse(deepseek());
  ASSERT_EQ(model.kinds.size(), 2u);
  EXPECT_EQ(model.kinds[0].name, "mla+dense");
  EXPECT_EQ(model.kinds[1].name, "mla+moe");
  EXPECT_THAT(model.layers, ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(model.mtp_layers, 1);
  EXPECT_EQ(&model.mtp_kind(), &model.kinds[1]);
  ASSERT_NE(model.moe(), nullptr);
  EXPECT_EQ(model.moe()->score, ScoreFunction::sigmoid);
  EXPECT_TRUE(model.moe()->selection_bias);
  EXPECT_EQ(model.moe()->num_groups, 4);
  EXPECT_EQ(model.moe()->topk_groups, 2);
  EXPECT_EQ(model.moe()->routed_scaling_factor, 2.5);
  EXPECT_EQ(ModelSpec::moe(model.kinds[0]), nullptr);
}

// Llama's class takes as many as there are heads, Mixtral's takes 8, and None in the file means the former for both.
TEST(Config, WithoutKeyValueHeadsHasThoseOfItsClass) {
  const auto kv_heads = [](const Json& config) { return std::get<Gqa>(parse(config).kinds[0].parts[0]).kv_heads; };
  Json config = mixtral();
  config["num_attention_heads"] = 16;
  config["num_key_value_heads"] = nullptr;
  EXPECT_EQ(kv_heads(config), 16);
  config.erase("num_key_value_heads");
  EXPECT_EQ(kv_heads(config), 8);
  config["model_type"] = "llama";
  EXPECT_EQ(kv_heads(config), 16);
}

TEST(Config, WithoutHeadDimDividesTheHiddenSize) { EXPECT_EQ(std::get<Gqa>(parse(mixtral()).kinds[0].parts[0]).head_dim, 128); }

TEST(Config, UnknownKeysAreWarnedAboutAndIrrelevantOnesAreNot) {
  Json config = mixtral();
  config["rope_theta"] = 1e6;
  config["torch_dtype"] = "bfloat16";
  config["quantization_config"] = {{"quant_method", "fp8"}};
  config["pad_token_id"] = nullptr;
  config["_my_remark"] = "kept";
  EXPECT_THAT(parse(config).warnings, IsEmpty());
  config["num_memory_layers"] = 3;
  EXPECT_THAT(parse(config).warnings, ElementsAre("config.json: num_memory_layers: unknown key, not used"));
}

TEST(Config, OfAMultimodalModelIsReadFromItsTextPart) {
  Json config = {
      {"model_type", "kimi_k25"}, {"vision_config", {{"hidden_size", 1152}}}, {"tie_word_embeddings", true}, {"new_key", 1}};
  config["text_config"] = deepseek();
  config["text_config"]["strange"] = 1;
  const ModelSpec model = parse(config);
  EXPECT_EQ(model.hidden_size, 1024);
  EXPECT_TRUE(model.tie_word_embeddings);
  EXPECT_THAT(model.warnings, ElementsAre("config.json: text_config.strange: unknown key, not used",
                                          "config.json: new_key: unknown key, not used"));
  config["text_config"].erase("kv_lora_rank");
  EXPECT_EQ(error(config), "config.json: text_config.kv_lora_rank: missing");
}

TEST(Config, LayersThatDifferOnlyInSizeGetNumberedNames) {
  Json config =
      Json::parse(R"({"model_type": "hunyuan_v1_moe", "hidden_size": 1024, "num_hidden_layers": 3, "num_attention_heads": 8,
    "num_key_value_heads": 8, "vocab_size": 1000, "num_experts": 8, "moe_topk": [2, 2, 2], "moe_intermediate_size": [512, 256, 512],
    "num_shared_expert": [1, 1, 1], "use_qk_norm": true, "tie_word_embeddings": false})");
  const ModelSpec model = parse(config);
  ASSERT_EQ(model.kinds.size(), 2u);
  EXPECT_EQ(model.kinds[0].name, "gqa+moe");
  EXPECT_EQ(model.kinds[1].name, "gqa+moe #2");
  EXPECT_THAT(model.layers, ElementsAre(0, 1, 0));
}

TEST(BadConfig, MoreChosenThanThereAre) {
  EXPECT_EQ(error_with(mixtral(), "num_experts_per_tok", 9),
            "config.json: num_experts_per_tok: found 9, allowed is at most num_local_experts = 8");
}

TEST(BadConfig, KeyValueHeadsThatDoNotDivideTheHeads) {
  EXPECT_EQ(error_with(mixtral(), "num_key_value_heads", 3),
            "config.json: num_key_value_heads: found 3, allowed is a divisor of num_attention_heads = 8");
}

TEST(BadConfig, HeadsThatDoNotDivideTheHiddenSize) {
  Json config = mixtral();
  config["num_key_value_heads"] = 7;
  EXPECT_EQ(error_with(config, "num_attention_heads", 7),
            "config.json: num_attention_heads: found 7, allowed is a divisor of hidden_size = 1024 where there is no head_dim");
}

TEST(BadConfig, MissingArchitectureKey) {
  EXPECT_EQ(error_without(mixtral(), "num_local_experts"), "config.json: num_local_experts: missing");
  EXPECT_EQ(error_without(mixtral(), "hidden_size"), "config.json: hidden_size: missing");
  EXPECT_EQ(error_without(deepseek(), "intermediate_size"), "config.json: intermediate_size: missing");
}

TEST(BadConfig, ZeroNegativeAndHugeSizes) {
  EXPECT_EQ(error_with(mixtral(), "hidden_size", 0), "config.json: hidden_size: found 0, allowed is an integer from 1 to 1048576");
  EXPECT_EQ(error_with(mixtral(), "num_hidden_layers", -4),
            "config.json: num_hidden_layers: found -4, allowed is an integer from 1 to 4096");
  EXPECT_EQ(error_with(mixtral(), "intermediate_size", 1LL << 40),
            "config.json: intermediate_size: found 1099511627776, allowed is an integer from 1 to 1048576");
}

TEST(BadConfig, ModelTooLargeToCount) {
  Json config = mixtral();
  config["hidden_size"] = config["intermediate_size"] = 1 << 20;
  config["num_local_experts"] = 1 << 14;
  config["num_hidden_layers"] = 1 << 12;
  EXPECT_EQ(error(config), "config.json: the layers have over 1e16 parameters in all, allowed are fewer");
}

TEST(BadConfig, GroupsThatCannotServeTheToken) {
  EXPECT_EQ(error_with(deepseek(), "n_group", 3),
            "config.json: n_group: found 3, allowed is a divisor of the number of experts, 16");
  EXPECT_EQ(error_with(deepseek(), "topk_group", 5), "config.json: topk_group: found 5, allowed is at most n_group = 4");
  Json config = deepseek();
  config["num_experts_per_tok"] = 5;
  EXPECT_EQ(error_with(config, "topk_group", 1),
            "config.json: topk_group: found 1: the chosen groups hold 4 experts, fewer than the 5 that a token needs");
}

TEST(BadConfig, UnknownScoreFunction) {
  EXPECT_EQ(
      error_with(deepseek(), "scoring_func", "softmux"),
      "config.json: scoring_func: found \"softmux\", allowed is one of softmax, sigmoid, sqrtsoftplus; did you mean \"softmax\"?");
}

TEST(BadConfig, LayerListOfTheWrongLength) {
  Json config = Json::parse(R"({"model_type": "gpt_oss", "hidden_size": 1024, "intermediate_size": 512, "num_hidden_layers": 3,
    "num_attention_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 1000, "sliding_window": 128})");
  EXPECT_EQ(error_with(config, "layer_types", {"full_attention", "sliding_attention"}),
            "config.json: layer_types: found 2 entries, allowed is one a layer, 3");
  EXPECT_EQ(error_with(config, "layer_types", Json::array({"full_attention"})), "config.json: layer_types: found 1 entry, allowed is one a layer, 3");
  EXPECT_EQ(error_with(config, "layer_types", {"full_attention", "sliding_attention", "fool_attention"}),
            "config.json: layer_types: found \"fool_attention\", allowed is full_attention, sliding_attention; did you mean "
            "\"full_attention\"?");
  EXPECT_EQ(error_with(config, "experts_per_token", 4), "config.json: experts_per_token: found 4, but num_experts_per_tok = 2");
}

TEST(Config, MayListTheKindOfEachMlp) {
  Json config = deepseek();
  config.erase("first_k_dense_replace");
  config["mlp_layer_types"] = {"dense", "dense", "sparse", "sparse"};
  EXPECT_THAT(parse(config).layers, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(error_with(config, "first_k_dense_replace", 1),
            "config.json: mlp_layer_types: layer 1 contradicts first_k_dense_replace = 1");
}

TEST(Config, MayListTheWindowOfEachLayer) {
  Json config = Json::parse(R"({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 512, "num_hidden_layers": 2,
    "num_attention_heads": 8, "num_key_value_heads": 8, "vocab_size": 1000, "layer_types": ["full_attention", "sliding_attention"],
    "sliding_window": 64})");
  EXPECT_EQ(parse(config).kinds[1].name, "gqa(window 64)+dense");
  EXPECT_EQ(error_without(config, "sliding_window"), "config.json: layer_types: found sliding_attention, but there is no sliding_window");
}

TEST(Config, SaysWhatAPredictionDepthRepeats) {
  Json config = Json::parse(R"({"model_type": "nemotron_h", "hidden_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 128, "n_shared_experts": 0, "vocab_size": 1000, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64, "hybrid_override_pattern": "*E",
    "num_nextn_predict_layers": 1, "mtp_hybrid_override_pattern": "*E"})");
  ModelSpec model = parse(config);
  EXPECT_EQ(model.mtp_kind().name, "gqa+moe");
  EXPECT_EQ(model.mtp_kind().norms, 2);
  config["mtp_hybrid_override_pattern"] = "E";
  model = parse(config);
  EXPECT_FALSE(model.own_mtp_kind.has_value());
  EXPECT_EQ(&model.mtp_kind(), &model.kinds[1]);
}

TEST(BadConfig, PatternThatIsNotOneLetterALayer) {
  Json config = Json::parse(R"({"model_type": "nemotron_h", "hidden_size": 1024, "num_hidden_layers": 3, "num_attention_heads": 8,
    "vocab_size": 1000, "mamba_num_heads": 8, "mamba_head_dim": 64, "n_groups": 2, "ssm_state_size": 32, "conv_kernel": 4})");
  EXPECT_EQ(error_with(config, "hybrid_override_pattern", "M*"),
            "config.json: hybrid_override_pattern: found 2 letters, allowed is one a layer, 3");
  EXPECT_EQ(
      error_with(config, "hybrid_override_pattern", "M*X"),
      "config.json: hybrid_override_pattern: found the letter \"X\", allowed are M (Mamba-2), E (MoE), * (attention), - (MLP)");
}

TEST(BadConfig, UnknownModelTypeListsTheKnownOnes) {
  const std::string text = error_with(mixtral(), "model_type", "mixtrol");
  EXPECT_EQ(text.rfind("config.json: model_type: found \"mixtrol\", allowed is one of llama, mistral, qwen2, qwen3, ", 0), 0u)
      << text;
  EXPECT_THAT(text, testing::EndsWith("longcat_flash; did you mean \"mixtral\"?"));
  EXPECT_THAT(error_without(mixtral(), "model_type"),
              testing::StartsWith("config.json: model_type: missing, allowed is one of llama, "));
}

TEST(BadConfig, TextPartThatIsNoObject) {
  const std::string text = error({{"model_type", "llama4"}, {"text_config", 3}});
  EXPECT_THAT(text, testing::StartsWith("config.json: text_config: found 3, allowed is an object"));
}

}  // namespace
}  // namespace moesim
