#include "analysis/train_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/sample_times.h"
#include "base/unit_text.h"

namespace moesim {
namespace {

TrainReport run(const std::string& model) {
  return train(read_train_scenario(Document::parse(R"({"kind": "train", "model": )" + model + R"(, "hardware": "dgx-h100", "gpus": 16,
    "parallel": {"pp": 2, "ep": 8}, "batch": {"global_batch_size": 32}, "moe": {"load": {"law": "balanced"}}})", "case.json"),
                                   std::filesystem::path(MOESIM_SOURCE_DIR)));
}

// Megatron counts a block and one more logit for each token that is predicted ahead: what is executed grows by as much.
TEST(TrainReport, ExecutesTheBlockAndTheLogitsOfMultiTokenPrediction) {
  const TrainReport one = run(R"({"extends": "deepseek-v3", "num_hidden_layers": 6, "num_nextn_predict_layers": 0})"),
                    two = run(R"({"extends": "deepseek-v3", "num_hidden_layers": 6})");
  const auto executed = [](const TrainReport& r) { return r.hfu * r.step_time_s; };
  const auto counted = [](const TrainReport& r) { return r.mfu * r.step_time_s; };
  EXPECT_NEAR((executed(two) - executed(one)) / (counted(two) - counted(one)), executed(one) / counted(one), 0.02);
}

TrainScenario random_load(const std::string& parallel) {
  return read_train_scenario(Document::parse(R"({"kind": "train", "model": {"extends": "qwen3-30b-a3b", "num_hidden_layers": 4}, "hardware": "dgx-h100", "gpus": 16,
    "parallel": )" + parallel + R"(, "batch": {"global_batch_size": 32}, "moe": {"load": {"law": "multinomial"}}})", "case.json"),
                             std::filesystem::path(MOESIM_SOURCE_DIR));
}

TEST(TrainReport, SamplesAreTheStepsOfTheirNumberWhateverRunsThem) {
  const TrainScenario s = random_load(R"({"pp": 2, "ep": 8})");
  std::vector<double> alone;
  for (std::int64_t n = 0; n < 6; ++n) alone.push_back(seconds(TrainStep(s, Detail::fold, n).run().end));
  EXPECT_EQ(sample_step_times(s, Detail::fold, 0, 6), alone);
  TrainOptions options;
  options.samples = 6;
  std::sort(alone.begin(), alone.end());
  EXPECT_EQ(train(s, options).sample_step_times_s, alone);
  EXPECT_LT(alone.front(), alone.back());
}

TEST(TrainReport, AFoldOfReplicasWithRandomLoadsSaysThatItIsApproximate) {
  const TrainReport replicas = train(random_load(R"({"pp": 2, "ep": 1})")), groups = train(random_load(R"({"pp": 2, "ep": 4})"));
  EXPECT_EQ(replicas.detail, "fold: approximate");
  EXPECT_EQ(replicas.merged, "16 ranks as 2 classes; one of ranks that are alike but for their random expert loads");
  EXPECT_EQ(groups.detail, "fold: approximate");
  EXPECT_EQ(groups.merged, "16 ranks as 4 classes; one of alike expert-parallel groups, as its most loaded rank and the mean of the others");
  EXPECT_EQ(train(random_load(R"({"pp": 4, "tp": 4, "ep": 1})")).detail, "fold");   // the ranks of a stage carry one load
}

TrainReport with_capacity(const std::string& factor, const std::string& pad) {
  return train(read_train_scenario(Document::parse(R"({"kind": "train", "model": {"extends": "qwen3-30b-a3b", "num_hidden_layers": 2}, "hardware": "dgx-h100", "gpus": 8,
    "parallel": {"ep": 8}, "batch": {"global_batch_size": 8}, "moe": {"load": {"law": "balanced"}, "capacity_factor": )" + factor + R"(, "pad_to_capacity": )" + pad + "}}", "case.json"),
                                   std::filesystem::path(MOESIM_SOURCE_DIR)));
}

// A token picks an expert at most once: from num_experts / top_k on all its places are padded, and no more.
TEST(TrainReport, PaddingEndsWhereEveryTokenHasAPlaceAtEveryExpert) {
  const TrainReport full = with_capacity("16", "true"), absurd = with_capacity("1e6", "true");
  EXPECT_EQ(full.step_time_s, absurd.step_time_s);
  EXPECT_EQ(full.memory.stages[0].total(), absurd.memory.stages[0].total());
  EXPECT_GT(full.step_time_s, with_capacity("2", "true").step_time_s);
  EXPECT_EQ(absurd.warnings, std::vector<std::string>{"moe.capacity_factor 1000000 pads as num_experts / top_k = 16.0 does: an expert has no more places than there are tokens"});
}

TEST(TrainReport, ManyDroppedTokensAreAWarning) {
  EXPECT_EQ(with_capacity("0.5", "false").warnings,
            std::vector<std::string>{"50.0 % of the tokens' copies are dropped: MFU, TFLOP/s and tokens/s count them as if they were computed"});
  EXPECT_TRUE(with_capacity("0.95", "false").warnings.empty());
}

TEST(TrainReport, AnMfuAboveThePeakIsAWarning) {
  const std::filesystem::path data = MOESIM_SOURCE_DIR;
  const Document shipped = Document::load(data / "scenarios/train/mixtral-8x7b-64xh100.json");
  const TrainReport r = train(read_train_scenario(shipped.with("moe.capacity_factor=0.01"), data));
  ASSERT_GT(r.mfu, 1);
  const std::string warning = "MFU of " + significant(100 * r.mfu, 3) +
                              " %, above the peak: it divides all model FLOPs by the dense bf16 peak, so dropped tokens, FP8 and GPUs faster than their profile raise it";
  EXPECT_EQ(std::count(r.warnings.begin(), r.warnings.end(), warning), 1);
  EXPECT_EQ(std::count(r.warnings.begin(), r.warnings.end(), "98.9 % of the tokens' copies are dropped: MFU, TFLOP/s and tokens/s count them as if they were computed"), 1);
}

TEST(TrainReport, ARunTooLongForACriticalPathSaysSo) {
  const TrainScenario s = random_load(R"({"pp": 2, "ep": 8})");
  TrainOptions options;
  EXPECT_TRUE(train(s, options).warnings.empty());
  options.path_spans = 100;
  const TrainReport r = train(s, options);
  EXPECT_TRUE(r.critical_path.empty());
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0], "no critical path: it is kept for up to 100 spans of kernels and transfers, and this run has more");
}

}  // namespace
}  // namespace moesim
