#include "train/memory.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/count.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

TrainScenario read(const Document& doc) { return read_train_scenario(doc, kData); }

Document mixtral() {
  return Document::parse(R"({ "kind": "train", "model": "mixtral-8x7b", "hardware": "dgx-h100", "gpus": 64,
    "parallel": { "tp": 2, "pp": 4, "ep": 4, "etp": 1 }, "batch": { "global_batch_size": 64 },
    "moe": { "load": { "law": "balanced" } } })",
                         "mixtral.json");
}

Bytes state(const StageMemory& m) { return m.parameters + m.gradients + m.optimizer; }

double gib(Bytes b) { return static_cast<double>(b.count()) / static_cast<double>(1 << 30); }

// arXiv 2603.07685: DeepSeek-V3 in BF16 on 256 GPUs, PP4 x VPP4 x EP64: weights and gradients 36.4, master weights and
// optimizer 32.1, activations 131.0 (printed as GB; they are GiB: 16 MoE layers of 6.55e9 parameters a rank times 6 bytes are 36.6
// GiB). With the embedding and three layers in the first chunk and the tail in the last, stage 1 is the first with 16 MoE layers,
// and the one that needs most.
TEST(Memory, MatchesThePublishedDeepSeekV3Split) {
  const TrainScenario s = read(Document::parse(R"({ "kind": "train", "model": "deepseek-v3", "hardware": "gb200-nvl72", "gpus": 256,
    "parallel": { "tp": 1, "pp": 4, "vpp": 4, "ep": 64, "etp": 1, "pipeline_layout": "Et*3|(tttt|)*14ttmL" },
    "batch": { "seq_length": 4096, "micro_batch_size": 1, "global_batch_size": 2048 },
    "moe": { "load": { "law": "balanced" } } })",
                                               "v3.json"));
  const MemoryReport report = memory(s);
  ASSERT_EQ(report.peak_stage, 1u);
  const StageMemory& m = report.stages[1];
  EXPECT_NEAR(gib(m.parameters + m.gradients) / 36.4, 1, 0.02);
  EXPECT_NEAR(gib(m.optimizer) / 32.1, 1, 0.02);
  EXPECT_NEAR(gib(m.activations) / 131.0, 1, 0.07);
  char shown[64];
  std::snprintf(shown, sizeof shown, "%.1f / %.2f / %.1f GiB", gib(m.parameters + m.gradients), gib(m.optimizer), gib(m.activations));
  std::stringstream readme;
  readme << std::ifstream(kData / "README.md").rdbuf();
  EXPECT_NE(readme.str().find(shown), std::string::npos) << "README.md does not show " << shown;
}

// Mixtral 8x7B, stage 1 of 4: 8 layers, no ends. A layer: attention 2 h^2 (1 + 8/32) = 41,943,040 over TP2; router 4096 * 8 and two
// norms of 4096 on every rank; experts 8 * 3 * 4096 * 14336 over EP4.
TEST(StageParams, CountShardedReplicatedAndRoutedParts) {
  const StageParams p = stage_params(read(mixtral()), 1);
  EXPECT_EQ(p.dense, 8 * (41'943'040 / 2 + 4096 * 8 + 2 * 4096));
  EXPECT_EQ(p.routed, 8LL * (8 / 4) * 3 * 4096 * 14336);
}

TEST(StageParams, EndsHoldTheTables) {
  const TrainScenario s = read(mixtral());
  const std::int64_t inner = stage_params(s, 1).dense, table = 32000 / 2 * 4096;  // 32,000 words need no padding: 125 * 256
  EXPECT_EQ(stage_params(s, 0).dense, inner + table);
  EXPECT_EQ(stage_params(s, 3).dense, inner + table + 4096);  // final norm
}

/// All stages of one model cut by layers only.
std::int64_t sum_of_stages(const TrainScenario& s) {
  std::int64_t sum = 0;
  for (std::int64_t r = 0; r < s.stages.pp(); ++r) sum += stage_params(s, r).dense + stage_params(s, r).routed;
  return sum;
}

TrainScenario cut(const std::string& model, int pp) {
  return read(Document::parse(R"({ "kind": "train", "hardware": "dgx-h100", "gpus": 8, "parallel": { "pp": )" + std::to_string(pp) +
                                  R"( }, "model": ")" + model + "\" }",
                              "cut.json"));
}

std::int64_t padding(const ModelSpec& m) { return (padded_vocab(m.vocab_size, 1) - m.vocab_size) * m.hidden_size; }

TEST(StageParams, AddUpToTheModelOverTheStages) {
  for (const char* name : {"mixtral-8x7b", "qwen3-30b-a3b", "llama-3-70b", "deepseek-v2-lite"})
    for (const int pp : {1, 2, 4, 8}) {
      const TrainScenario s = cut(name, pp);
      EXPECT_EQ(sum_of_stages(s), count_params(s.model).total() + 2 * padding(s.model)) << name << " pp " << pp;
    }
}

TEST(StageParams, ATiedOutputIsCopiedOnlyToAnotherStage) {
  const TrainScenario one = cut("granite-3.0-1b-a400m", 1), two = cut("granite-3.0-1b-a400m", 2);
  ASSERT_TRUE(one.model.tie_word_embeddings);
  const std::int64_t total = count_params(one.model).total(), table = padded_vocab(one.model.vocab_size, 1) * one.model.hidden_size;
  EXPECT_EQ(sum_of_stages(one), total + padding(one.model));
  EXPECT_EQ(sum_of_stages(two), total + padding(two.model) + table);
}

TEST(StageParams, MultiTokenPredictionBringsItsBlockAndACopyOfTheEmbedding) {
  const TrainScenario one = cut("deepseek-v3", 1), two = cut("deepseek-v3", 2);
  const ModelParams params = count_params(one.model);
  ASSERT_EQ(one.model.mtp_layers, 1);
  const std::int64_t total = params.total() + params.mtp.total() + 2 * padding(one.model);
  EXPECT_EQ(sum_of_stages(one), total);
  EXPECT_EQ(sum_of_stages(two), total + padded_vocab(one.model.vocab_size, 1) * one.model.hidden_size);
}

TEST(Memory, IsEighteenBytesAParameterWithoutTheDistributedOptimizer) {
  const TrainScenario s = read(mixtral().with("optimizer.distributed=false"));
  const StageParams p = stage_params(s, 2);
  EXPECT_EQ(state(memory(s).stages[2]), Bytes{18 * (p.dense + p.routed)});
}

// 64 GPUs: dp = 64 / (2 * 4) = 8, edp = 64 / (4 * 4) = 4: 6 + 12 / 8 bytes a dense and 6 + 12 / 4 a routed parameter.
TEST(Memory, ShardsTheOptimizerOverDpAndExpertsOverEdp) {
  const TrainScenario s = read(mixtral());
  const StageParams p = stage_params(s, 2);
  EXPECT_EQ(state(memory(s).stages[2]), Bytes{6 * (p.dense + p.routed) + 12 * p.dense / 8 + 12 * p.routed / 4});
}

TEST(Memory, MomentsInBf16AreFourBytesOfTheTwelve) {
  const StageMemory fp32 = memory(read(mixtral())).stages[0], bf16 = memory(read(mixtral().with("optimizer.moments=bf16"))).stages[0];
  EXPECT_EQ(fp32.optimizer * 2, bf16.optimizer * 3);
  EXPECT_EQ(fp32.gradients, bf16.gradients);
}

TEST(Memory, GradientsReducedInBf16TakeHalf) {
  const StageMemory fp32 = memory(read(mixtral())).stages[0],
                    bf16 = memory(read(mixtral().with("precision.grad_reduce=bf16"))).stages[0];
  EXPECT_EQ(fp32.gradients, bf16.gradients * 2);
  EXPECT_EQ(fp32.optimizer, bf16.optimizer);
}

TEST(Memory, WeightsComputedInFp8AreKeptTwiceUnlessGatheredInFp8) {
  const Document fp8 = mixtral().with("precision.compute=fp8");
  const Bytes bf16 = memory(read(mixtral())).stages[0].parameters;
  EXPECT_EQ(memory(read(fp8)).stages[0].parameters, bf16 * 2);
  EXPECT_EQ(memory(read(fp8.with("precision.param_gather=fp8"))).stages[0].parameters, bf16);
}

// 1F1B, P = 4, M = 8: stage r holds min(M, P - r) micro-batches.
TEST(Memory, ActivationsFollowTheMicroBatchesInFlight) {
  const MemoryReport report = memory(read(mixtral()));
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(report.stages[r].peak_in_flight, 4 - static_cast<std::int64_t>(r));
  EXPECT_EQ(report.stages[1].activations.count() * 2, report.stages[2].activations.count() * 3);  // inner stages: 3 against 2
  EXPECT_EQ(report.peak_stage, 0u);
}

TEST(Memory, FewMicroBatchesNeverFillTheStages) {
  const MemoryReport report = memory(read(mixtral().with("batch.global_batch_size=16")));  // M = 2
  EXPECT_EQ(report.stages[0].peak_in_flight, 2);
  EXPECT_EQ(report.stages[3].peak_in_flight, 1);
}

// Interleaved, P = 4, V = 4, M = 8: 2 (P - r - 1) + (V - 1) P + 1 chunks of 32 / 16 = 2 layers.
TEST(Memory, InterleavingHoldsMoreChunks) {
  const MemoryReport report = memory(read(mixtral().with("parallel.vpp=4")));
  EXPECT_EQ(report.stages[0].peak_in_flight, 19);
  EXPECT_EQ(report.stages[3].peak_in_flight, 13);
}

TEST(Memory, RecomputationTradesActivationsForWorkspace) {
  const StageMemory none = memory(read(mixtral())).stages[1];
  const StageMemory selective =
      memory(read(mixtral().with(R"(recompute={"granularity": "selective", "modules": ["moe_act"]})"))).stages[1];
  const StageMemory full = memory(read(mixtral().with("recompute.granularity=full"))).stages[1];
  EXPECT_LT(selective.activations, none.activations);
  EXPECT_LT(full.activations, selective.activations);
  EXPECT_EQ(none.workspace, Bytes{0});
  EXPECT_GT(selective.workspace, Bytes{0});
  EXPECT_GT(full.workspace, selective.workspace);
}

TEST(Memory, SaysWhatDoesNotFit) {
  const MemoryReport big = memory(read(mixtral().with("batch.micro_batch_size=8").with("batch.global_batch_size=512")));
  EXPECT_FALSE(big.fits());
  EXPECT_TRUE(memory(read(mixtral())).fits());
  EXPECT_EQ(big.capacity, memory(read(mixtral())).capacity);
  EXPECT_LT(big.capacity, read(mixtral()).hardware.gpu.memory.value);
}

// A rank routes 4096 / tp 2 = 2048 tokens to 2 experts each; balanced, every rank of the group computes as many copies.
TEST(MostTokenCopies, AreExactWhenBalanced) { EXPECT_EQ(most_token_copies(read(mixtral())), 2048 * 2); }

// sigma of a rank: sqrt((1 - 1/4) (8 - 2) / (8 - 1) 4 / (8192 * 2)) = 1.25 %; the largest of four is about one sigma above the
// mean.
TEST(MostTokenCopies, ExceedTheMeanByTheMultinomialSpread) {
  const double ratio = static_cast<double>(most_token_copies(read(mixtral().with("moe.load.law=multinomial")))) / 4096;
  EXPECT_GT(ratio, 1.004);
  EXPECT_LT(ratio, 1.03);
}

TEST(MostTokenCopies, GrowWithSkewAndAreCappedByCapacity) {
  const Document zipf = mixtral().with("moe.load.law=zipf");
  const std::int64_t skewed = most_token_copies(read(zipf));
  EXPECT_GT(skewed, 4096 * 12 / 10);
  // Capacity factor 1: at most ceil(2048 * 2 / 8) = 512 copies an expert and source rank; 2 experts, 4 source ranks.
  EXPECT_LE(most_token_copies(read(zipf.with("moe.capacity_factor=1"))), 512 * 2 * 4);
}

TEST(MostTokenCopies, AreNoneInADenseModel) { EXPECT_EQ(most_token_copies(cut("llama-3-70b", 8)), 0); }

}  // namespace
}  // namespace moesim
