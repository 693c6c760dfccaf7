// What transfers take of the kernels beside them, in whole steps.
#include <gtest/gtest.h>

#include "property/account_totals.h"
#include "property/random_scenario.h"
#include "property/wrapped_workload.h"
#include "support/train_cases.h"

namespace moesim {
namespace {

/// Says that transfers take of their members whatever overlaps, and compares each segment with itself kernel by kernel.
class Pedantic : public test::WrappedWorkload {
 public:
  using WrappedWorkload::WrappedWorkload;
  bool takes_of_members() const override { return true; }
  Segment segment(ActorId a, std::uint32_t id, BlockTag tag) override {
    const Segment s = WrappedWorkload::segment(a, id, tag);
    const PacedSegment alone = paced(a, id, tag, {});
    EXPECT_EQ(alone.segment, s);
    Segment sum;
    for (const PacedKernel& k : alone.kernels) sum = sum.then(Segment::kernel(k.host, k.alone));
    EXPECT_EQ(sum.device, s.device);
    EXPECT_EQ(sum.host, s.host);
    EXPECT_EQ(sum.lag + alone.latency, s.lag);
    EXPECT_EQ(alone.by_sms, s.device);
    ++segments;
    return s;
  }
  int segments = 0;
};

TEST(BesideTransfers, ASegmentIsItsKernelsAndAStepWithoutOverlapIsAsItWas) {
  int cases = 0;
  for (std::uint64_t seed = 1; cases < 40 && !::testing::Test::HasFailure(); ++seed) {
    TrainCase c = random_case(seed);
    c.overlap_dp = c.overlap_p2p = c.overlap_tp = false;
    c.load = seed % 2 ? "multinomial" : "balanced";
    SCOPED_TRACE(c.json());
    const TrainScenario s = c.scenario();
    TrainStep step(s, Detail::fold);
    const Time as_it_was = step.run().end;
    step.visit([&](Workload& w) {
      Pedantic pedantic(w);
      EXPECT_EQ(run(pedantic).end, as_it_was);
      EXPECT_GT(pedantic.segments, 0);
    });
    ++cases;
  }
}

TEST(BesideTransfers, GradientsThatAreReducedBehindTheBackwardSlowIt) {
  TrainCase c;
  c.model = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  c.load = "";
  c.overlap_dp = true;
  c.micro_batches = 1;
  c.seq_length = 4096;
  const TrainScenario s = c.scenario();
  const test::Totals with = test::totals(s, Detail::fold);
  EXPECT_GT(with.time[static_cast<std::size_t>(TimeClass::sm_theft)], 0);
  EXPECT_GT(with.time[static_cast<std::size_t>(TimeClass::memory_sharing)], 0);
  EngineOptions nothing_taken;
  nothing_taken.take_of_members = false;
  EXPECT_GT(with.end, TrainStep(s, Detail::fold).run({}, nothing_taken).end);
}

TEST(BesideTransfers, CopyEnginesStealNothing) {
  TrainCase c;
  c.model = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  c.load = "";
  c.overlap_dp = true;
  c.extra = R"(, "stack": {"extends": "megatron-core-2026.04", "collective_sms": 0})";
  EXPECT_EQ(test::totals(c.scenario(), Detail::fold).time[static_cast<std::size_t>(TimeClass::sm_theft)], 0);
}

// A kernel never takes less for more SMs that are held. A step may: what comes later may meet fewer transfers, at ports as beside kernels.
TEST(BesideTransfers, MoreSmsHeldOrLessOfTheFabricMakeAStepFasterByNoMoreThanAHalfPercent) {
  int cases = 0, faster = 0;
  for (std::uint64_t seed = 1; cases < 12; ++seed) {
    TrainCase c = random_case(seed);
    if (c.gpus > 48 || c.hardware != "\"dgx-h100\"" || !(c.overlap_p2p || c.overlap_dp)) continue;
    c.load = "balanced";
    const std::string stack = R"(, "stack": {"extends": "megatron-core-2026.04", )";
    const auto step = [&](const std::string& hardware, const std::string& extra) {
      TrainCase changed = c;
      changed.hardware = hardware, changed.extra = extra;
      const TrainScenario s = changed.scenario();
      return seconds(TrainStep(s, Detail::fold).run().end);
    };
    const auto bounded = [&](double before, double now, const std::string& what) {
      EXPECT_GE(now, 0.995 * before) << what << " in " << c.json();
      faster += now < before;
      return now;
    };
    double sms = 0, taper = 0;
    for (const int n : {0, 1, 2, 4, 8, 12, 16}) sms = bounded(sms, step(c.hardware, stack + "\"p2p_sms\": " + std::to_string(n) + "}"), "p2p_sms " + std::to_string(n));
    sms = 0;
    for (const int n : {0, 4, 8, 16, 24, 32}) sms = bounded(sms, step(c.hardware, stack + "\"collective_sms\": " + std::to_string(n) + "}"), "collective_sms " + std::to_string(n));
    for (const char* t : {"1", "1.5", "2", "4"}) taper = bounded(taper, step(R"({"extends": "dgx-h100", "scale_out": {"topology": {"taper": )" + std::string(t) + "}}}", ""), "taper " + std::string(t));
    ++cases;
  }
  RecordProperty("faster", faster);
}

}  // namespace
}  // namespace moesim
