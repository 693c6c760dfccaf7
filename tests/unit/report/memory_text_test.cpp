#include "report/memory_text.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace moesim {
namespace {

constexpr Bytes kGiB{std::int64_t{1} << 30};

MemoryReport sample() {
  MemoryReport m;
  m.stages = {{.stage = 3, .parameters = kGiB * 5, .gradients = kGiB * 20, .optimizer = kGiB * 8, .activations = kGiB * 12, .framework = kGiB}};
  m.capacity = kGiB * 40;
  m.relief.gradients = {"a larger parallel.pp"};
  return m;
}

// 20 + 12 are the first to be two thirds of 46.
TEST(MemoryText, WhatDoesNotFitNamesTheLargestPartsAndWhatLowersThem) {
  EXPECT_EQ(does_not_fit(sample()), "does not fit: stage 3 needs 46.0 GiB of 40.0 GiB usable, 6.00 GiB too much. Largest: gradients 20.0 GiB "
                                    "(less with a larger parallel.pp); activations 12.0 GiB. It may fit after all: most published peaks would lie between 36.6 GiB and 43.4 GiB");
  MemoryReport far = sample();
  far.capacity = kGiB * 30;
  EXPECT_TRUE(does_not_fit(far).ends_with("; activations 12.0 GiB"));
  EXPECT_NE(to_text(sample()).find("too much by"), std::string::npos);
}

// 46 GiB with errors from +6.0 to +25.7 %: measured between 46 / 1.257 and 46 / 1.06.
TEST(MemoryText, SaysWherePublishedPeaksWouldLie) {
  const std::string text = "peak likely between 36.6 GiB and 43.4 GiB, under the prediction as most published peaks were: 8 of 11 published peaks, of 3 models, fall inside";
  EXPECT_EQ(likely_peak(sample(), "dgx-h100"), text);
  EXPECT_EQ(likely_peak(sample(), "alps-gh200"), text + ", none of which ran on this machine");
}

MemoryRelief relief_of(const std::string& more) {
  return relief(read_train_scenario(Document::parse(R"({"kind": "train", "model": "mixtral-8x7b", "hardware": "dgx-h100", "gpus": 16,
    "parallel": {"ep": 2, "etp": 1})" + more + "}", "case.json"), std::filesystem::path(MOESIM_SOURCE_DIR)));
}

TEST(MemoryRelief, NamesOnlyWhatTheScenarioHasNotDoneYet) {
  const auto has = [](const std::vector<std::string>& v, const std::string& word) {
    for (const std::string& s : v)
      if (s.find(word) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(has(relief_of("").activations, "recompute.granularity=selective or full"));
  EXPECT_FALSE(has(relief_of(R"(, "recompute": {"granularity": "full"})").activations, "recompute"));
  EXPECT_TRUE(has(relief_of("").gradients, "precision.grad_reduce=bf16"));
  EXPECT_FALSE(has(relief_of(R"(, "precision": {"grad_reduce": "bf16"})").gradients, "grad_reduce"));
  EXPECT_TRUE(has(relief_of(R"(, "optimizer": {"distributed": false})").optimizer, "optimizer.distributed=true"));
  EXPECT_FALSE(has(relief_of("").optimizer, "optimizer.distributed"));
  EXPECT_TRUE(has(relief_of("").optimizer, "optimizer.moments=bf16"));
  EXPECT_FALSE(has(relief_of(R"(, "optimizer": {"moments": "bf16"})").optimizer, "moments"));
  EXPECT_TRUE(has(relief_of("").parameters, "parallel.ep"));
}

}  // namespace
}  // namespace moesim
