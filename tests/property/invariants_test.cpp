// Invariants of sim/README.md on random steps, and that the checker notices a program that forgot a dependency.
#include <gmock/gmock.h>

#include <numeric>

#include "analysis/train_report.h"
#include "property/account_totals.h"
#include "property/invariant_checker.h"
#include "property/random_scenario.h"

namespace moesim {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kSeeds = 90;

std::string about(std::uint64_t seed, const test::ScenarioLimits& limits) { return "seed " + std::to_string(seed) + ": " + test::random_scenario_text(seed, limits); }

/// Calls `check` with random scenarios of up to 32 ranks; a third of them with random loads.
template <class Check>
void on_random_steps(std::uint64_t first, std::uint64_t seeds, Check check) {
  int cases = 0;
  for (std::uint64_t seed = first; seed < first + seeds && !testing::Test::HasFailure(); ++seed) {
    const test::ScenarioLimits limits{32, seed % 3 == 0 ? "multinomial" : "balanced"};
    const std::optional<TrainScenario> s = test::random_scenario(seed, limits);
    if (!s) continue;
    SCOPED_TRACE(about(seed, limits));
    check(*s, seed % 2 == 0 ? Detail::fold : Detail::ranks);
    ++cases;
  }
  EXPECT_GE(cases, static_cast<int>(seeds) / 3);
}

struct Checked {
  RunResult run;
  std::vector<std::string> violations;
  std::uint64_t fingerprint = 0;
};

Checked checked(TrainStep& step) {
  Checked out;
  step.visit([&](Workload& work) {
    test::RecordedWorkload recorded(work);
    test::InvariantChecker checker(recorded);
    Observer* observers[] = {&checker};
    out.run = run(recorded, observers);
    out.violations = checker.violations(out.run);
    out.fingerprint = checker.fingerprint();
  });
  return out;
}

TEST(Invariants, EveryStepRunsOnceInOrderAfterWhatItWaitsForAndFitsThroughThePorts) {
  on_random_steps(1000, kSeeds, [](const TrainScenario& s, Detail detail) {
    TrainStep step(s, detail);
    EXPECT_THAT(checked(step).violations, IsEmpty());
  });
}

TEST(Invariants, TheSameSeedGivesTheSameSpans) {
  on_random_steps(2000, kSeeds, [](const TrainScenario& s, Detail detail) {
    TrainStep first(s, detail), second(s, detail);
    const Checked a = checked(first), b = checked(second), again = checked(second);
    EXPECT_EQ(a.fingerprint, b.fingerprint);
    EXPECT_EQ(a.fingerprint, again.fingerprint);
    EXPECT_EQ(a.run.end, b.run.end);
    EXPECT_EQ(a.run.counters, b.run.counters);
  });
}

/// Sums the device time of each actor's compute stream.
struct Busy : Observer {
  std::map<std::uint32_t, Time> time;
  void on_segment(const SegmentSpan& s) override {
    if (s.stream == static_cast<std::uint8_t>(StepStream::compute)) time[s.actor.value()] += s.segment.device;
  }
};

TEST(Invariants, NoRankIsBusyLongerThanTheStepAndTheCriticalPathFillsIt) {
  on_random_steps(3000, kSeeds, [](const TrainScenario& s, Detail detail) {
    TrainStep step(s, detail);
    Busy busy;
    CriticalPath path;
    Observer* observers[] = {&busy, &path};
    const Time end = step.run(observers).end;
    for (const auto& [actor, time] : busy.time) EXPECT_LE(time, end) << "actor " << actor;
    Time at{0};
    for (const PathItem& i : path.items(end)) {
      ASSERT_EQ(i.begin, at) << "a hole in the critical path";
      ASSERT_GT(i.end, i.begin);
      at = i.end;
    }
    EXPECT_EQ(at, end);
  });
}

TEST(Invariants, EveryPicosecondOfEveryRankIsInOneClass) {
  on_random_steps(4000, kSeeds, [](const TrainScenario& s, Detail detail) {
    TrainStep step(s, detail);
    TimeAttribution attribution(step);
    Observer* observers[] = {&attribution};
    const Time end = step.run(observers).end;
    attribution.finish(end);
    for (std::uint32_t a = 0; a < step.actors().size(); ++a) {
      const auto& time = attribution.of(ActorId(a)).time;
      ASSERT_EQ(std::accumulate(time.begin(), time.end(), std::int64_t{0}), end.count()) << "actor " << a;
      ASSERT_EQ(time[static_cast<std::size_t>(TimeClass::unattributed)], 0) << "actor " << a;
      for (const std::int64_t t : time) ASSERT_GE(t, 0) << "actor " << a;
    }
  });
}

TEST(Invariants, BarsClassesAndCriticalPathAddUpToTheStep) {
  on_random_steps(5000, kSeeds / 3, [](const TrainScenario& s, Detail detail) {
    const TrainReport r = train(s, {detail, 1, {}});
    double bars = 0, path = 0;
    for (const Bar& b : r.waterfall) bars += b.seconds;
    for (const CriticalItem& i : r.critical_path) path += i.seconds;
    EXPECT_NEAR(bars, r.step_time_s, 1e-9 * r.step_time_s);
    EXPECT_NEAR(path, r.step_time_s, 1e-9 * r.step_time_s);
    EXPECT_NEAR(std::accumulate(r.time_by_class_s.begin(), r.time_by_class_s.end(), 0.0), r.step_time_s, 1e-9 * r.step_time_s);
  });
}

/// Runs the step with the nth `kind` step of an actor forgotten, against the program as it should be.
std::vector<std::string> violations_without(const TrainScenario& s, ActorId actor, StepKind kind, std::uint64_t nth, bool& forgotten) {
  TrainStep step(s, Detail::ranks);
  std::vector<std::string> out;
  step.visit([&](Workload& work) {
    test::RecordedWorkload recorded(work);
    test::ForgottenStep mutant(recorded, actor, kind, nth);
    test::InvariantChecker checker(recorded);
    Observer* observers[] = {&checker};
    out = checker.violations(run(mutant, observers));
    forgotten = mutant.done();
  });
  return out;
}

// A wait that never holds anybody may be forgotten without trace, but among the first dozen of an actor there is nearly always one that does.
TEST(Invariants, AForgottenDependencyIsNoticed) {
  int noticed = 0, tried = 0;
  on_random_steps(6000, 60, [&](const TrainScenario& s, Detail) {
    if (s.parallel.gpus > 16) return;
    const ActorId actor(static_cast<std::uint32_t>(s.parallel.gpus - 1));
    for (const StepKind kind : {StepKind::wait, StepKind::host_wait}) {
      bool forgotten = true, seen = false;
      for (std::uint64_t nth = 0; nth < 12 && !seen; ++nth) {
        seen = !violations_without(s, actor, kind, nth, forgotten).empty();
        if (!forgotten) break;
      }
      ++tried;
      noticed += seen;
    }
  });
  EXPECT_GE(tried, 20);
  EXPECT_GE(noticed, tried * 3 / 4);
}

TEST(Invariants, AReceiveThatIsNotWaitedForIsNoticed) {
  const TrainScenario s = test::scenario(R"({ "kind": "train", "model": { "model_type": "llama", "hidden_size": 512, "num_hidden_layers": 4,
      "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 1536, "vocab_size": 8192 },
    "hardware": "dgx-h100", "gpus": 2, "parallel": { "pp": 2 }, "batch": { "seq_length": 1024, "global_batch_size": 4 } })");
  bool forgotten = false;
  // The last stage's first wait is the receiving stream's (for what it may overwrite), its second is the compute stream's for the message.
  EXPECT_THAT(violations_without(s, ActorId(1), StepKind::wait, 1, forgotten), Not(IsEmpty()));
  EXPECT_TRUE(forgotten);
}

}  // namespace
}  // namespace moesim
