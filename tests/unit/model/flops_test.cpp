// FLOPs per token by Megatron's count against published rows (TFLOP/s divided by tokens/s) and closed forms.
#include <gtest/gtest.h>

#include "model/count.h"
#include "model/load.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

double gflop(const std::string& name, std::int64_t seq_length) {
  return flops_per_token(load_model(name, kData), seq_length) / 1e9;
}

struct Row {
  const char* model;
  std::int64_t seq_length;
  double gflop;
  double tolerance = 0.003;
};

TEST(FlopsPerToken, ReproduceMegatronsPublishedRates) {
  const Row rows[] = {
      {"deepseek-v3", 4096, 259.99},  // with its multi-token prediction block
      {"qwen3-30b-a3b", 4096, 23.01},
      {"qwen3-235b-a22b", 4096, 148.03},
      {"qwen3-235b-a22b", 131072, 734.7},
      {"qwen3-235b-a22b", 131072, 739, 0.01},  // what the published row implies: its rate has three digits
      {"llama-3-70b", 8192, 449.2},
      {"llama-3.1-405b", 8192, 2524},
      {"llama-3-8b", 8192, 51.47},
      {"kimi-k2", 4096, 204.5},
      {"moonlight-16b-a3b", 4096, 17.15},
      {"qwen3-8b", 4096, 49.03},
      {"mixtral-8x22b", 4096, 242.2},
      {"mixtral-8x7b", 4096, 79.71},
      {"qwen2-57b-a14b", 4096, 84.65},
      {"gpt-oss-120b", 4096, 32.59},             // gated unit, sliding window honoured
      {"nemotron-3-nano-30b-a3b", 8192, 22.28},  // 328 TFLOP/s at 14719 tokens/s
      {"jupiter-dense-32b", 4096, 203.3},        // a stand-in for 208.3
  };
  for (const Row& row : rows) EXPECT_NEAR(gflop(row.model, row.seq_length) / row.gflop, 1, row.tolerance) << row.model;
}

TEST(FlopsPerToken, OfDeepSeekV3WithoutMultiTokenPredictionAre249Point8G) {
  ModelSpec model = load_model("deepseek-v3", kData);
  model.mtp_layers = 0;
  EXPECT_NEAR(flops_per_token(model, 4096) / 1e9, 249.81, 0.01);
}

ModelSpec one_layer(Part part) {
  ModelSpec model;
  model.hidden_size = 256;
  model.vocab_size = 1024;
  model.kinds.push_back({"x", {std::move(part)}, 1});
  model.layers = {0};
  return model;
}

const Gqa kGqa{.heads = 8, .kv_heads = 2, .head_dim = 32};
constexpr double kLogits = 256 * 1024;

TEST(FlopsPerToken, OfGroupedQueryAttentionAreProjectionsAndTheCausalHalf) {
  // q and output 256 x 256, k and v 256 x 64; scores and values: 2 x 256 x (512 / 2)
  const double macs = 2 * 256 * 256 + 2 * 256 * 64 + 256 * 512 + kLogits;
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(kGqa), 512), 6 * macs);
}

TEST(FlopsPerToken, AWindowAsLongAsTheSequenceChangesNothing) {
  Gqa windowed = kGqa;
  windowed.window = 512;
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(windowed), 512), flops_per_token(one_layer(kGqa), 512));
  EXPECT_LT(flops_per_token(one_layer(windowed), 1024), flops_per_token(one_layer(kGqa), 1024));
}

TEST(FlopsPerToken, AChunkCostsWhatASequenceOfItsLengthCosts) {
  Gqa chunked = kGqa;
  chunked.window = 128;
  chunked.chunked = true;
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(chunked), 1024), flops_per_token(one_layer(kGqa), 128));
}

TEST(FlopsPerToken, OfASlidingWindowCountEachPairOnce) {
  // s W - W^2 / 2 pairs a sequence: 1024 x 128 - 128^2 / 2 = 122880, so 120 a token
  Gqa windowed = kGqa;
  windowed.window = 128;
  const double macs = 2 * 256 * 256 + 2 * 256 * 64 + 2 * 256 * 120 + kLogits;
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(windowed), 1024), 6 * macs);
}

TEST(FlopsPerToken, OfExpertsCountTheChosenAndTheShared) {
  // router not counted; 3 x 256 x (4 x 96 + 128)
  const MoeMlp unit{.num_experts = 16, .top_k = 4, .moe_ffn_hidden_size = 96, .shared_expert_ffn_hidden_size = 128};
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(unit), 512), 6 * (3 * 256 * (4 * 96 + 128) + kLogits));
}

TEST(FlopsPerToken, OfLatentExpertsCountTheNarrowWidthAndTheTwoProjections) {
  // 2 x 64 x (4 x 96) + 2 x 256 x 64, ungated
  MoeMlp unit{.num_experts = 16, .top_k = 4, .moe_ffn_hidden_size = 96};
  unit.latent_size = 64;
  unit.gated = false;
  EXPECT_DOUBLE_EQ(flops_per_token(one_layer(unit), 512), 6 * (2 * 64 * 4 * 96 + 2 * 256 * 64 + kLogits));
}

TEST(FlopsPerToken, EachPredictionDepthAddsALayerAJoinAndAHead) {
  ModelSpec model = one_layer(kGqa);
  const double none = flops_per_token(model, 512);
  model.mtp_layers = 2;
  const double depth = (none - 6 * kLogits) + 6 * (3 * 256 + 2 * 256 * 256) + 6 * kLogits;
  EXPECT_DOUBLE_EQ(flops_per_token(model, 512), none + 2 * depth);
}

TEST(FlopsPerToken, LogitsUseThePaddedVocabulary) {
  EXPECT_EQ(padded_vocab(50257, 1), 50304);
  EXPECT_EQ(padded_vocab(50257, 8), 51200);
  EXPECT_EQ(padded_vocab(51200, 8), 51200);
  EXPECT_EQ(padded_vocab(100, 2, 64), 128);
  ModelSpec model = one_layer(kGqa);
  model.vocab_size = 1000;  // to 1024 alone, to 2048 over 16 ranks
  EXPECT_DOUBLE_EQ(flops_per_token(model, 512, 16) - flops_per_token(model, 512), 6 * kLogits);
}

}  // namespace
}  // namespace moesim
