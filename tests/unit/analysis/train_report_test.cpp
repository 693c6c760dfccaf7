#include "analysis/train_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analysis/sample_times.h"

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
