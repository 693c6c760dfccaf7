#include "train/stage_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "model/count.h"
#include "train/memory.h"
#include "train/step/buckets.h"

namespace moesim {
namespace {

TrainScenario cut(const std::string& model, int pp, int vpp = 1, const std::string& parallel = "") {
  return read_train_scenario(Document::parse(R"({ "kind": "train", "hardware": "dgx-h100", "gpus": 8, "parallel": { "pp": )" + std::to_string(pp) +
                                                 R"(, "vpp": )" + std::to_string(vpp) + parallel + R"( }, "model": ")" + model + "\" }",
                                             "cut.json"),
                             std::filesystem::path(MOESIM_SOURCE_DIR));
}

std::int64_t table(const TrainScenario& s) { return padded_vocab(s.model.vocab_size, s.parallel.tp) * s.model.hidden_size; }

/// Parameters that the data-parallel exchanges of all stages carry and that the optimizer updates.
std::int64_t exchanged(const TrainScenario& s) {
  std::int64_t sum = 0;
  for (std::int64_t stage = 0; stage < s.stages.pp(); ++stage)
    for (const std::vector<Unit>& units : stage_units(s, stage))
      for (const Bucket& b : chunk_buckets(units, stage == 0, 1)) sum += b.params;
  return sum;
}

std::int64_t held(const TrainScenario& s) {
  std::int64_t sum = 0;
  for (std::int64_t stage = 0; stage < s.stages.pp(); ++stage) sum += stage_params(s, stage).dense + stage_params(s, stage).routed;
  return sum;
}

/// What the model counts, its padding, and the tables that stages copy.
std::int64_t expected(const TrainScenario& s) {
  const ModelParams p = count_params(s.model);
  const std::int64_t tables = s.model.tie_word_embeddings ? 1 : 2, padded = table(s) - s.model.vocab_size * s.model.hidden_size;
  const std::int64_t bias = s.model.output_bias ? table(s) / s.model.hidden_size - s.model.vocab_size : 0;
  return p.total() + p.mtp.total() + tables * padded + bias + (shares_embedding(s) ? table(s) : 0);
}

// deepseek-v3 predicts two tokens, granite ties its output, gpt learns positions and ties, phi-3.5 has an output bias and norms with biases.
TEST(StageUnits, WhatIsHeldIsWhatIsReducedAndUpdatedAndNothingElse) {
  for (const char* model : {"deepseek-v3", "granite-3.0-1b-a400m", "gpt-1.7b", "phi-3.5-moe", "mixtral-8x7b", "qwen3-8b"})
    for (const auto& [pp, vpp] : {std::pair{1, 1}, {2, 1}, {4, 1}, {4, 2}, {2, 3}}) {
      SCOPED_TRACE(std::string(model) + " pp " + std::to_string(pp) + " vpp " + std::to_string(vpp));
      const TrainScenario s = cut(model, pp, vpp);
      EXPECT_EQ(held(s), expected(s));
      EXPECT_EQ(exchanged(s), held(s));
    }
}

TEST(StageUnits, EveryOutputOfTheModelHasALossHeadOfItsOwn) {
  for (const auto& [model, heads] : {std::pair{"deepseek-v3", 2}, {"mixtral-8x7b", 1}}) {
    const TrainScenario s = cut(model, 2);
    const std::vector<Unit> last = stage_units(s, 1).back();
    EXPECT_EQ(std::count_if(last.begin(), last.end(), [](const Unit& u) { return u.kind == Unit::Kind::head; }), heads);
  }
}

TEST(StageUnits, ASharedOutputMatrixIsCompleteOnlyAfterTheLastHeadsBackward) {
  const std::vector<Unit> last = stage_units(cut("deepseek-v3", 2), 1).back();
  const auto first_head = std::find_if(last.begin(), last.end(), [](const Unit& u) { return u.kind == Unit::Kind::head; });
  EXPECT_GT(first_head->dense, 0);
  for (auto u = first_head + 1; u != last.end(); ++u) EXPECT_EQ(u->dense, 0);
}

TEST(StageUnits, PredictedTokensAreEmbeddedByACopyOnlyAwayFromTheTable) {
  const auto mtp = [](const TrainScenario& s, std::int64_t stage) {
    for (const std::vector<Unit>& units : stage_units(s, stage))
      for (const Unit& u : units)
        if (u.kind == Unit::Kind::mtp) return u.dense;
    return std::int64_t{-1};
  };
  const TrainScenario one = cut("deepseek-v3", 1), two = cut("deepseek-v3", 2);
  EXPECT_EQ(mtp(two, 1) - mtp(one, 0), table(two));
  EXPECT_EQ(mtp(two, 0), -1);
}

}  // namespace
}  // namespace moesim
