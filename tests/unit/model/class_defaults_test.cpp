// A key that a config.json leaves out is what its configuration class takes for it, or the config is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "base/named_file.h"
#include "model/families/family.h"
#include "model/load.h"

namespace moesim {
namespace {

const std::filesystem::path kModels = std::filesystem::path(MOESIM_SOURCE_DIR) / "models";

ModelSpec parse(const Json& config) { return parse_model(Document::parse(config.dump(), "c")); }

std::string error(const Json& config) {
  try {
    parse(config);
  } catch (const InputError& e) { return e.what(); }
  return "no error";
}

bool same(const LayerKind& a, const LayerKind& b) { return a.parts == b.parts && a.norms == b.norms; }

bool same(const ModelSpec& a, const ModelSpec& b) {
  if (a.kinds.size() != b.kinds.size() || a.layers != b.layers) return false;
  for (std::size_t i = 0; i < a.kinds.size(); ++i)
    if (!same(a.kinds[i], b.kinds[i])) return false;
  return a.hidden_size == b.hidden_size && a.vocab_size == b.vocab_size && a.tie_word_embeddings == b.tie_word_embeddings &&
         a.norm_bias == b.norm_bias && a.output_bias == b.output_bias && a.learned_positions == b.learned_positions &&
         a.mtp_layers == b.mtp_layers && (a.mtp_layers == 0 || same(a.mtp_kind(), b.mtp_kind()));
}

/// The decoder's part of each shipped model that stands for itself.
std::vector<std::pair<std::string, Json>> shipped() {
  std::vector<std::pair<std::string, Json>> out;
  for (const std::string& name : model_names(kModels.parent_path())) {
    const Json config = Document::load(kModels / (name + ".json")).json();
    if (!config.contains("extends")) out.emplace_back(name, config.contains("text_config") ? config["text_config"] : config);
  }
  for (auto& [name, config] : out)
    if (!config.contains("tie_word_embeddings")) config["tie_word_embeddings"] = false;
  return out;
}

struct Default {
  const char* model;   // a shipped one of the class
  const char* key;
  const char* value;   // JSON
};

// Written here once more, from the signatures of the classes.
const Default kDefaults[] = {
    {"mixtral-8x7b", "num_key_value_heads", "8"}, {"mixtral-8x7b", "sliding_window", "null"}, {"mixtral-8x7b", "tie_word_embeddings", "false"},
    {"phi-3.5-moe", "num_key_value_heads", "8"}, {"phi-3.5-moe", "lm_head_bias", "false"}, {"phi-3.5-moe", "attention_bias", "false"},
    {"jamba-1.0", "num_key_value_heads", "8"},
    {"llama-3.1-8b", "num_key_value_heads", "32"}, {"olmoe-1b-7b", "num_key_value_heads", "16"}, {"granite-3.0-1b-a400m", "num_key_value_heads", "16"},
    {"granite-3.0-1b-a400m", "tie_word_embeddings", "false"},
    {"gpt-7.1b", "intermediate_size", "24576"}, {"gpt-7.1b", "attention_bias", "true"},
    {"deepseek-v3", "q_lora_rank", "1536"}, {"deepseek-v3", "n_shared_experts", "1"}, {"deepseek-v3", "first_k_dense_replace", "3"},
    {"deepseek-v3", "n_group", "8"}, {"deepseek-v3", "topk_group", "4"}, {"deepseek-v3", "num_nextn_predict_layers", "0"},
    {"deepseek-v3", "scoring_func", "\"sigmoid\""}, {"deepseek-v3", "topk_method", "\"noaux_tc\""},
    {"moonlight-16b-a3b", "q_lora_rank", "1536"}, {"moonlight-16b-a3b", "n_shared_experts", "1"},
    {"moonlight-16b-a3b", "first_k_dense_replace", "3"},
    {"deepseek-v2-lite", "q_lora_rank", "1536"}, {"deepseek-v2-lite", "first_k_dense_replace", "0"},
    {"deepseek-v2", "topk_method", "\"greedy\""}, {"deepseek-v2", "scoring_func", "\"softmax\""},
    {"glm-4.5", "num_key_value_heads", "8"}, {"glm-4.5", "use_qk_norm", "false"}, {"glm-4.5", "attention_bias", "false"},
    {"glm-4.5", "n_shared_experts", "1"}, {"glm-4.5", "first_k_dense_replace", "1"},
    {"qwen2.5-72b", "num_key_value_heads", "32"}, {"qwen3-8b", "num_key_value_heads", "32"}, {"qwen3-8b", "head_dim", "128"},
    {"qwen1.5-moe-a2.7b", "num_key_value_heads", "16"}, {"qwen1.5-moe-a2.7b", "qkv_bias", "true"},
    {"qwen1.5-moe-a2.7b", "shared_expert_intermediate_size", "5632"}, {"qwen1.5-moe-a2.7b", "decoder_sparse_step", "1"},
    {"qwen3-coder-480b-a35b", "num_key_value_heads", "4"}, {"qwen3-coder-480b-a35b", "decoder_sparse_step", "1"},
    {"qwen3-next-80b-a3b", "num_key_value_heads", "2"}, {"qwen3-next-80b-a3b", "head_dim", "256"},
    {"qwen3-next-80b-a3b", "shared_expert_intermediate_size", "512"}, {"qwen3-next-80b-a3b", "full_attention_interval", "4"},
    {"gpt-oss-20b", "num_key_value_heads", "8"}, {"gpt-oss-20b", "head_dim", "64"}, {"gpt-oss-20b", "sliding_window", "128"},
    {"gpt-oss-20b", "attention_bias", "true"},
    {"llama-4-maverick", "num_key_value_heads", "8"}, {"llama-4-maverick", "head_dim", "128"},
    {"llama-4-maverick", "attention_chunk_size", "8192"}, {"llama-4-maverick", "interleave_moe_layer_step", "1"},
    {"longcat-flash", "q_lora_rank", "1536"}, {"longcat-flash", "zero_expert_num", "256"},
};

TEST(ClassDefaults, AreWhatAKeyLeftOutMeans) {
  const auto models = shipped();
  for (const Default& d : kDefaults) {
    SCOPED_TRACE(std::string(d.model) + ": " + d.key);
    const auto it = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.first == d.model; });
    ASSERT_NE(it, models.end());
    Json without = it->second, with = it->second;
    without.erase(d.key);
    with[d.key] = Json::parse(d.value);
    EXPECT_TRUE(same(parse(without), parse(with)));
  }
}

TEST(ClassDefaults, AWindowOfMistralIsInEveryLayerUnlessTheFileSaysNull) {
  Json config = Json::parse(R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 2,
    "num_attention_heads": 32, "vocab_size": 32000})");
  EXPECT_EQ(parse(config).kinds[0].name, "gqa(window 4096)+dense");
  config["sliding_window"] = nullptr;
  EXPECT_EQ(parse(config).kinds[0].name, "gqa+dense");
}

TEST(ClassDefaults, WindowsOfQwenBeginAtTheLayerOfTheClass) {
  const Json config = Json::parse(R"({"model_type": "qwen2", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 30,
    "num_attention_heads": 32, "vocab_size": 32000, "use_sliding_window": true})");
  const ModelSpec model = parse(config);
  EXPECT_EQ(model.kind_of(27).name, "gqa+dense");
  EXPECT_EQ(model.kind_of(28).name, "gqa(window 4096)+dense");
}

TEST(ClassDefaults, LayersOfMiniMaxAlternateWithoutAList) {
  const Json config = Json::parse(R"({"model_type": "minimax", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 3,
    "num_attention_heads": 32, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_THAT(parse(config).layers, testing::ElementsAre(0, 1, 0));
  EXPECT_EQ(parse(config).kinds[0].name, "gqa+moe");
}

TEST(ClassDefaults, ASharedGraniteHasASharedExpert) {
  Json config = Json::parse(R"({"model_type": "granitemoeshared", "hidden_size": 1024, "intermediate_size": 512, "num_hidden_layers": 2,
    "num_attention_heads": 8, "vocab_size": 1000, "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_EQ(parse(config).moe()->shared_expert_ffn_hidden_size, 1024);
  config["model_type"] = "granitemoe";
  EXPECT_EQ(parse(config).moe()->shared_expert_ffn_hidden_size, 0);
}

TEST(ClassDefaults, WhereNoneIsKnownTheConfigIsRefusedByKeyAndFamily) {
  struct Case {
    const char *model, *key, *type;
  };
  const Case cases[] = {{"kimi-k2", "n_shared_experts", "kimi_k2"},         {"kimi-k2", "q_lora_rank", "kimi_k2"},
                        {"glm-4.5-air", "n_routed_experts", "glm4_moe"},    {"qwen3-30b-a3b", "head_dim", "qwen3_moe"},
                        {"deepseek-v2", "n_shared_experts", "deepseek_v2"}, {"dots.llm1", "num_key_value_heads", "dots1"},
                        {"hunyuan-a13b", "use_qk_norm", "hunyuan_v1_moe"},  {"grok-1", "tie_word_embeddings", "grok-1"},
                        {"ernie-4.5-21b-a3b", "moe_layer_start_index", "ernie4_5_moe"}};
  const auto models = shipped();
  for (const Case& c : cases) {
    const auto it = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.first == c.model; });
    Json config = it->second;
    config.erase(c.key);
    const std::string line = std::string("c: ") + c.key + ": missing";
    EXPECT_THAT(error(config), testing::AnyOf(line, line + ", and moesim does not know what " + c.type + " takes for it")) << c.model;
  }
  Json config = models.front().second;
  for (const auto& [name, of] : models)
    if (name == "kimi-k2") config = of;
  config.erase("n_shared_experts");
  config["n_share_experts"] = 1;
  EXPECT_EQ(error(config), "c: n_shared_experts: missing, and moesim does not know what kimi_k2 takes for it; did you mean it by \"n_share_experts\"?");
}

// The law over all shipped models and all their keys: what vanishes is refused, is in the table of defaults, or never mattered.
TEST(ClassDefaults, NoKeyThatShapesAModelMayVanishUnnoticed) {
  std::size_t refused = 0, by_default = 0;
  for (const auto& [name, config] : shipped()) {
    const ModelSpec whole = parse(config);
    const Json defaults = class_defaults(config.at("model_type").get<std::string>());
    for (const auto& [key, value] : config.items()) {
      SCOPED_TRACE(name + ": " + key);
      Json rest = config, told = config;
      rest.erase(key);
      if (const std::string text = error(rest); text != "no error") {
        EXPECT_THAT(text, testing::HasSubstr(key));
        ++refused;
      } else if (defaults.contains(key)) {
        told[key] = defaults.at(key);
        EXPECT_TRUE(same(parse(rest), parse(told)));
        ++by_default;
      } else {
        EXPECT_TRUE(same(parse(rest), whole));
      }
    }
  }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(by_default, 200u);
}

TEST(ClassDefaults, StandForEveryTypeThatIsRead) {
  for (const Family& family : families())
    for (const std::string& type : family.model_types) {
      EXPECT_EQ(class_defaults(type).empty(), type == "grok-1" || type == "grok1") << type;
    }
}

TEST(ClassDefaults, ThatDoNotFitTheRestSayThatTheyAreDefaults) {
  const Json config = Json::parse(R"({"model_type": "mixtral", "hidden_size": 1024, "intermediate_size": 512, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 1000, "num_local_experts": 8, "num_experts_per_tok": 2})");
  EXPECT_EQ(error(config), "c: num_key_value_heads: found 8, allowed is a divisor of num_attention_heads = 4; the file leaves it out, and this is its default");
}

// "llama" and "llama_text" are one type; what tells it from its relatives must not depend on the spelling.
TEST(ClassDefaults, OfATypeDoNotDependOnItsSpelling) {
  Json config = Json::parse(R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 2,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000})");
  const ModelSpec plain = parse(config);
  config["model_type"] = "qwen3_text";
  EXPECT_TRUE(same(plain, parse(config)));
}

}  // namespace
}  // namespace moesim
