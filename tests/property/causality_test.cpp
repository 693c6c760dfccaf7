// What a kernel's duration does to the step: exactly what the critical path says.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "base/random.h"
#include "engine/critical_path.h"
#include "property/random_scenario.h"
#include "property/wrapped_workload.h"
#include "train/train_step.h"

namespace moesim {
namespace {

/// Segments, without those of the host alone, each named by (actor, id, layer, micro-batch).
struct Segments : Observer {
  std::vector<SegmentSpan> all;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, int> times;
  void on_segment(const SegmentSpan& s) override {
    ++times[{s.actor.value(), s.id, s.tag.layer, s.tag.micro_batch}];
    if (s.segment.kernels > 0) all.push_back(s);
  }
  bool once(ActorId a, std::uint32_t id, BlockTag tag) const {
    const auto it = times.find({a.value(), id, tag.layer, tag.micro_batch});
    return it != times.end() && it->second == 1;
  }
};

/// A kernel beside a transfer may take longer or shorter when another one moves.
EngineOptions nothing_taken() {
  EngineOptions out;
  out.take_of_members = false;
  return out;
}

class Probe {
 public:
  explicit Probe(const TrainScenario& s) : s_(s) {
    TrainStep step(s, Detail::ranks);
    Observer* observers[] = {&segments_, &path_};
    const RunResult r = step.run(observers, nothing_taken());
    end_ = r.end;
    free_of_contention_ = r.counters.contended_transfers == 0;
  }

  Time end() const { return end_; }
  bool free_of_contention() const { return free_of_contention_; }
  const Segments& segments() const { return segments_; }
  std::vector<PathItem> path() const { return path_.items(end_); }

  /// The step with one segment's last kernel longer. Clears free_of_contention if transfers shared a port.
  Time end_with(ActorId a, std::uint32_t id, BlockTag tag, Time by) {
    TrainStep step(s_, Detail::ranks);
    RunResult r;
    step.visit([&](Workload& work) {
      test::SlowKernel slow(work, a, id, tag, by);
      r = run(slow, {}, nothing_taken());
      EXPECT_EQ(slow.hits(), 1);
    });
    free_of_contention_ = free_of_contention_ && r.counters.contended_transfers == 0;
    return r.end;
  }

 private:
  const TrainScenario& s_;
  Segments segments_;
  CriticalPath path_;
  Time end_{0};
  bool free_of_contention_ = true;
};

TEST(Causality, AMillisecondOnACriticalKernelMovesTheStepByAMillisecond) {
  int cases = 0, kernels = 0;
  for (std::uint64_t seed = 1; cases < 40 && !HasFailure(); ++seed) {
    const std::optional<TrainScenario> s = test::random_scenario(seed, {32, "balanced"});
    if (!s) continue;
    Probe probe(*s);
    if (!probe.free_of_contention()) continue;
    ++cases;
    RandomStream dice(seed, "critical kernel");
    const std::vector<PathItem> path = probe.path();
    for (int n = 0; n < 8; ++n) {
      const PathItem& i = path[dice() % path.size()];
      if (i.kind != PathItem::Kind::segment || !probe.segments().once(i.actor, i.id, i.tag)) continue;
      const Time moved = probe.end_with(i.actor, i.id, i.tag, kMillisecond) - probe.end();
      if (!probe.free_of_contention()) break;
      ++kernels;
      EXPECT_EQ(moved, kMillisecond) << "seed " << seed << ", actor " << i.actor.value() << ", segment " << i.id;
    }
  }
  EXPECT_GE(kernels, 60);
}

// In max and plus, the step as a function of one duration is flat up to the kernel's slack and rises one for one beyond. A change of ten
// seconds finds the slack; the knee must lie there to the picosecond.
TEST(Causality, AKernelOffTheCriticalPathMayTakeItsSlackAndNoMore) {
  int off_path = 0;
  for (std::uint64_t seed = 500; off_path < 60 && !HasFailure(); ++seed) {
    ASSERT_LT(seed, 1500u);
    const std::optional<TrainScenario> s = test::random_scenario(seed, {16, "balanced"});
    if (!s) continue;
    Probe probe(*s);
    RandomStream dice(seed, "any kernel");
    for (int n = 0; n < 4 && probe.free_of_contention(); ++n) {
      const SegmentSpan& k = probe.segments().all[dice() % probe.segments().all.size()];
      if (!probe.segments().once(k.actor, k.id, k.tag)) continue;
      const auto with = [&](Time by) { return probe.end_with(k.actor, k.id, k.tag, by) - probe.end(); };
      const Time far = 10'000 * kMillisecond, slack = far - with(far);
      ASSERT_GE(slack, Time{0}) << "seed " << seed;
      const Time beyond = with(slack + Time{1}), within = slack > Time{1} ? with(slack - Time{1}) : Time{0};
      if (!probe.free_of_contention()) break;
      EXPECT_EQ(beyond, Time{1}) << "seed " << seed << ", actor " << k.actor.value() << ", segment " << k.id;
      EXPECT_EQ(within, Time{0}) << "seed " << seed << ", actor " << k.actor.value() << ", segment " << k.id;
      off_path += slack > Time{0};
    }
  }
}

}  // namespace
}  // namespace moesim
