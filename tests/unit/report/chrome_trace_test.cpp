#include "report/chrome_trace.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/json.h"

namespace moesim {
namespace {

TrainScenario scenario(int gpus, int pp) {
  return read_train_scenario(Document::parse(R"({"kind": "train", "model": {"extends": "qwen3-30b-a3b", "num_hidden_layers": 4}, "hardware": "dgx-h100",
    "gpus": )" + std::to_string(gpus) + R"(, "parallel": {"ep": 4, "pp": )" + std::to_string(pp) + R"(}, "batch": {"global_batch_size": )" +
                                                 std::to_string(4 * gpus / pp) + "}}",
                                             "case.json"),
                             std::filesystem::path(MOESIM_SOURCE_DIR));
}

struct Traced {
  Json events;
  bool complete = false;
  std::string left_out;
  std::int64_t processes = 0;
  double last_begin = 0, last_end = 0, step = 0;   // microseconds
};

Traced traced(const TrainScenario& s, Detail detail, const TraceLimits& limits) {
  TrainStep step(s, detail);
  ChromeTrace trace(step, limits);
  Observer* observers[] = {&trace};
  const Time end = step.run(observers).end;
  const Json j = Json::parse(trace.text());
  Traced out{j.at("traceEvents"), j.at("otherData").at("complete").get<bool>(), trace.left_out(end), 0, 0, 0, seconds(end) * 1e6};
  for (const Json& e : out.events) {
    out.processes += e.at("name") == "process_name";
    if (e.at("ph") != "X") continue;
    out.last_begin = std::max(out.last_begin, e.at("ts").get<double>());
    out.last_end = std::max(out.last_end, e.at("ts").get<double>() + e.at("dur").get<double>());
  }
  return out;
}

TEST(ChromeTrace, OfAFoldOrOfFewRanksShowsThemAllToTheEnd) {
  for (const Detail detail : {Detail::fold, Detail::ranks}) {
    const TrainScenario s = scenario(16, 1);
    const Traced t = traced(s, detail, {});
    EXPECT_TRUE(t.complete);
    EXPECT_EQ(t.left_out, "");
    EXPECT_EQ(t.processes, static_cast<std::int64_t>(TrainStep(s, detail).actors().size()));
    EXPECT_GT(t.last_end, 0.9 * t.step);
  }
}

TEST(ChromeTrace, OfManyRanksShowsTheFirstOfEachStage) {
  const Traced t = traced(scenario(32, 2), Detail::ranks, {});
  EXPECT_EQ(t.processes, 2);
  EXPECT_EQ(t.left_out, "2 of 32 ranks");
}

TEST(ChromeTrace, ShowsTheRanksThatAreAskedFor) {
  const Traced t = traced(scenario(32, 2), Detail::ranks, {.ranks = {3, 17, 18}});
  EXPECT_EQ(t.processes, 3);
  for (const Json& e : t.events) EXPECT_TRUE(e.at("pid") == 3 || e.at("pid") == 17 || e.at("pid") == 18);
  EXPECT_THROW(traced(scenario(32, 2), Detail::ranks, {.ranks = {32}}), InputError);
}

// Where there is no room for all events, what is left is the whole beginning of the step, for all ranks alike.
TEST(ChromeTrace, PastItsLimitKeepsTheBeginningOfTheStepWithoutHoles) {
  const TrainScenario s = scenario(16, 2);
  const Traced all = traced(s, Detail::ranks, {}), some = traced(s, Detail::ranks, {.ranks = {}, .events = 3000});
  EXPECT_FALSE(some.complete);
  EXPECT_NE(some.left_out.find("the first "), std::string::npos);
  EXPECT_EQ(some.processes, 16);
  std::size_t expected = 0, kept = 0;
  for (const Json& e : all.events) expected += e.at("ph") == "X" && e.at("ts").get<double>() <= some.last_begin;
  for (const Json& e : some.events) kept += e.at("ph") == "X";
  EXPECT_EQ(kept, expected);
  EXPECT_GT(kept, 500u);
  EXPECT_LT(some.events.size(), 3000 + 16 * (1 + kStepStreams) + 3000);   // flows are two in one
}

}  // namespace
}  // namespace moesim
