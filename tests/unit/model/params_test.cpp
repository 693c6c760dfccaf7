// Closed forms of the parameters of each kind of part, worked out by hand.
#include <gtest/gtest.h>

#include "model/count.h"
#include "model/load.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

TEST(Params, OfLlamaThreePointOneEightBAreExact) {
  // layer: 2 x 4096^2 + 2 x 4096 x 1024 + 3 x 4096 x 14336 + 2 x 4096 = 218112000; x 32, two embeddings of 128256 x 4096, one norm
  EXPECT_EQ(count_params(load_model("llama-3.1-8b", kData)).total(), 8'030'261'248);
}

TEST(Params, OfMixtralAreExact) {
  // layer: 2 x 4096^2 + 2 x 4096 x 1024 + 8 x 3 x 4096 x 14336 + 8 x 4096 + 2 x 4096 = 1451270144; x 32, 2 x 32000 x 4096, 4096
  const ModelParams p = count_params(load_model("mixtral-8x7b", kData));
  EXPECT_EQ(p.total(), 46'702'792'704);
  EXPECT_EQ(p.layers.routed, std::int64_t{32} * 8 * 3 * 4096 * 14336);
  EXPECT_EQ(p.layers.routed_active * 4, p.layers.routed);
  EXPECT_EQ(p.layers.replicated, 32 * (8 * 4096 + 2 * 4096));
}

TEST(Params, OfLatentAttentionSplitIntoShardedAndReplicated) {
  // DeepSeek-V3, h 7168: up-projections and output are sharded over heads, both down-projections and their norms are on every rank
  const Mla mla{
      .heads = 128, .q_lora_rank = 1536, .kv_lora_rank = 512, .qk_nope_head_dim = 128, .qk_rope_head_dim = 64, .v_head_dim = 128};
  const ParamCount p = count_params(Part{mla}, 7168);
  EXPECT_EQ(p.sharded, 1536 * 128 * 192 + 512 * 128 * 256 + 128 * 128 * 7168);
  EXPECT_EQ(p.replicated, 7168 * 1536 + 1536 + 7168 * 576 + 512);
  EXPECT_EQ(p.routed, 0);
}

TEST(Params, OfLatentAttentionWithoutQueryRankHaveOneQueryMatrix) {
  const Mla mla{.heads = 16, .kv_lora_rank = 512, .qk_nope_head_dim = 128, .qk_rope_head_dim = 64, .v_head_dim = 128};
  const ParamCount p = count_params(Part{mla}, 2048);
  EXPECT_EQ(p.sharded, 2048 * 16 * 192 + 512 * 16 * 256 + 16 * 128 * 2048);
  EXPECT_EQ(p.replicated, 2048 * 576 + 512);
}

TEST(Params, OfGptOssCountBiasesAndSinks) {
  // attention, h 2880, 64 heads of 64, 8 key/value heads: weights, q k v biases 4096 + 2 x 512, output bias 2880, 64 sinks
  const ModelSpec model = load_model("gpt-oss-20b", kData);
  const ParamCount attention = count_params(model.kinds[0].parts[0], 2880);
  EXPECT_EQ(attention.total(), 2880 * (4096 + 1024) + 4096 * 2880 + 5120 + 2880 + 64);
  // an expert: 3 x 2880^2, biases 2 x 2880 and 2880; router 32 x 2880 and 32
  const ParamCount unit = count_params(model.kinds[0].parts[1], 2880);
  EXPECT_EQ(unit.routed, 32 * (3 * 2880 * 2880 + 3 * 2880));
  EXPECT_EQ(unit.routed_active, 4 * (3 * 2880 * 2880 + 3 * 2880));
  EXPECT_EQ(unit.replicated, 32 * 2880 + 32);
}

TEST(Params, OfAPredictionDepthAreALayerAndAJoin) {
  const ModelSpec model = load_model("deepseek-v3", kData);
  const std::int64_t layer = count_params(model.kind_of(60), 7168).total();
  EXPECT_EQ(count_params(model).mtp.total(), layer + 2 * 7168 * 7168 + 3 * 7168);
}

TEST(Params, TiedEmbeddingsCountOnce) {
  ModelSpec model = load_model("llama-3.1-8b", kData);
  const std::int64_t untied = count_params(model).total();
  model.tie_word_embeddings = true;
  EXPECT_EQ(untied - count_params(model).total(), 128256 * 4096);
}

TEST(Params, LayerNormsHaveABiasToo) {
  const LayerKind kind{"x", {DenseMlp{64}}, 2};
  EXPECT_EQ(count_params(kind, 16, true).replicated, 2 * count_params(kind, 16, false).replicated);
  EXPECT_EQ(count_params(kind, 16, false).replicated, 32);
}

TEST(Params, ZeroExpertsTakeTheirShareOfTheChosen) {
  // LongCat: of 12 chosen among 512 real and 256 zero experts, 8 do work on average
  MoeMlp unit{.num_experts = 512, .top_k = 12, .moe_ffn_hidden_size = 10};
  unit.zero_experts = 256;
  EXPECT_EQ(count_params(Part{unit}, 10).routed_active, 8 * 300);
}

TEST(Params, ActiveNeverExceedsTotal) {
  for (const std::string& name : model_names(kData)) {
    const ModelParams p = count_params(load_model(name, kData));
    EXPECT_LE(p.active(), p.total()) << name;
    EXPECT_GT(p.active(), 0) << name;
  }
}

}  // namespace
}  // namespace moesim
