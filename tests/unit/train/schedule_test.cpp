#include "train/schedule.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace moesim {
namespace {

// "F0.1" is the forward of micro-batch 0 through chunk 1.
std::string text(const std::vector<Action>& actions) {
  std::ostringstream out;
  for (const Action& a : actions)
    out << (&a == actions.data() ? "" : " ") << (a.kind == Action::Kind::forward ? 'F' : 'B') << a.micro_batch << '.' << a.chunk;
  return out.str();
}

std::string order(const char* name, const ScheduleShape& shape, std::int64_t stage) {
  return text(schedules().make(name)->actions(shape, stage));
}

std::string refusal(const char* name, const ScheduleShape& shape) {
  try {
    schedules().make(name)->check(shape);
  } catch (const InputError& e) { return e.what(); }
  return "";
}

TEST(OneForwardOneBackward, FirstStageRunsAheadByTheStagesBehindIt) {
  // P = 3, r = 0: warm-up P - r - 1 = 2.
  EXPECT_EQ(order("1f1b", {3, 1, 4}, 0), "F0.0 F1.0 F2.0 B0.0 F3.0 B1.0 B2.0 B3.0");
}

TEST(OneForwardOneBackward, LastStageAlternatesFromTheStart) {
  EXPECT_EQ(order("1f1b", {3, 1, 3}, 2), "F0.0 B0.0 F1.0 B1.0 F2.0 B2.0");
}

TEST(OneForwardOneBackward, FewerMicroBatchesThanStagesAreAllWarmUp) {
  EXPECT_EQ(order("1f1b", {8, 1, 2}, 0), "F0.0 F1.0 B0.0 B1.0");
}

TEST(OneForwardOneBackward, OneStageAccumulatesGradients) { EXPECT_EQ(order("1f1b", {1, 1, 2}, 0), "F0.0 B0.0 F1.0 B1.0"); }

TEST(OneForwardOneBackward, RefusesChunks) {
  EXPECT_EQ(refusal("1f1b", {4, 2, 8}), "1f1b runs one model chunk a stage, found vpp 2; use interleaved_1f1b");
}

TEST(Interleaved, FollowsMegatronsScheduleTable) {
  // P = 2, V = 2, M = 4. Order of (micro-batch, chunk): (0,0) (1,0) (0,1) (1,1) (2,0) (3,0) (2,1) (3,1).
  // Stage 1: warm-up 2 * 0 + 1 * 2 = 2.
  EXPECT_EQ(order("interleaved_1f1b", {2, 2, 4}, 1),
            "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
  // Stage 0: warm-up 2 * 1 + 1 * 2 = 4.
  EXPECT_EQ(order("interleaved_1f1b", {2, 2, 4}, 0),
            "F0.0 F1.0 F0.1 F1.1 F2.0 B0.1 F3.0 B1.1 F2.1 B0.0 F3.1 B1.0 B2.1 B3.1 B2.0 B3.0");
}

TEST(Interleaved, RunsAllForwardsFirstWhenTheWarmUpCoversThem) {
  // P = M = 2, V = 2, r = 0: warm-up 4 = M * V.
  EXPECT_EQ(order("interleaved_1f1b", {2, 2, 2}, 0), "F0.0 F1.0 F0.1 F1.1 B0.1 B1.1 B0.0 B1.0");
}

TEST(Interleaved, RefusesShapesThatMegatronRefuses) {
  EXPECT_EQ(refusal("interleaved_1f1b", {4, 1, 8}),
            "interleaved_1f1b needs two or more model chunks a stage, found vpp 1; use 1f1b");
  EXPECT_EQ(refusal("interleaved_1f1b", {1, 2, 8}), "interleaved_1f1b needs two or more pipeline stages, found pp 1");
  EXPECT_EQ(refusal("interleaved_1f1b", {4, 2, 3}),
            "interleaved_1f1b needs at least pp micro-batches a step, found 3 micro-batches, pp 4");
  EXPECT_EQ(refusal("interleaved_1f1b", {4, 2, 10}),
            "interleaved_1f1b needs a multiple of pp micro-batches a step, found 10 micro-batches, pp 4: the last group of 2 would "
            "leave dependency bubbles");
}

TEST(Schedules, PointToPointOverlapsOnlyWhenInterleaved) {
  EXPECT_FALSE(schedules().make("1f1b")->overlaps_p2p());
  EXPECT_TRUE(schedules().make("interleaved_1f1b")->overlaps_p2p());
}

TEST(Schedules, UnknownNameSuggestsTheNearest) {
  try {
    schedules().make("interleaved_1f1");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "found \"interleaved_1f1\", allowed is a schedule: 1f1b, interleaved_1f1b; did you mean \"interleaved_1f1b\"?");
  }
}

}  // namespace
}  // namespace moesim
