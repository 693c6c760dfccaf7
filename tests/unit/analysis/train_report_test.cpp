#include "analysis/train_report.h"

#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace moesim
