// Kernels beside transfers that take of their actor, with the arithmetic in the comments. In these workloads a kernel of d takes
// d (1 + sms / 8) while SMs are held, and that times (1 + memory / 5) while memory is used as well (reference.h).
#include <gtest/gtest.h>

#include "unit/engine/reference.h"

namespace moesim {
namespace {

using namespace test;

struct Spans : Observer {
  std::vector<SegmentSpan> segments;
  void on_segment(const SegmentSpan& s) override {
    if (s.segment.device > Time{0}) segments.push_back(s);
  }
};

std::vector<SegmentSpan> segments(SmallWorkload& w, const EngineOptions& options = {}) {
  Spans spans;
  Observer* observers[] = {&spans};
  run(w, observers, options);
  return spans.segments;
}

/// Two actors; both join on stream 1 a transfer that holds `sms` and uses `memory`, the second after a kernel of `late`. The first runs `kernels` on
/// stream 0.
SmallWorkload beside(Transfer t, std::int32_t sms, std::int64_t late, const std::vector<std::vector<Kernel>>& runs) {
  SmallWorkload w(2);
  w.group({0, 1});
  w.held_by = {{sms, 0, 0}};
  w.transfer(std::move(t));
  w.kernels.resize(2);
  if (late > 0) w.segment_of(1, 1, {{0, late}});
  w.join(0, 1, 0, 0).join(1, 1, 0, 0);
  for (const auto& r : runs) w.segment_of(0, 0, r);
  return w;
}

TEST(Beside, AKernelRunsAtThePaceOfTheSmsLeftUntilTheTransferEnds) {
  // Half speed until 50: 25 done. 75 are left.
  SmallWorkload w = beside(alike(Time{10}, Time{40}), 8, 0, {{{0, 100}}});
  const SegmentSpan s = segments(w).at(0);
  EXPECT_EQ(s.end, Time{125});
  EXPECT_EQ(s.stolen, Time{25});
  EXPECT_EQ(s.shared, Time{0});
  EXPECT_EQ(s.segment.device, Time{100});
}

TEST(Beside, SmsAreHeldWhileATransferWaitsForItsLastMember) {
  // The second member comes at 60: held until 70.
  SmallWorkload w = beside(alike(Time{0}, Time{10}), 8, 60, {{{0, 100}}});
  EXPECT_EQ(segments(w).at(1).end, Time{135});
}

TEST(Beside, MemoryIsUsedOnlyWhileATransferMoves) {
  // Alone until 60; then at 5/10 until 100: 20 done. The last 20 alone.
  Transfer t = alike(Time{0}, Time{40});
  t.memory = 5;
  SmallWorkload w = beside(t, 0, 60, {{{0, 100}}});
  const SegmentSpan s = segments(w).at(1);
  EXPECT_EQ(s.end, Time{120});
  EXPECT_EQ(s.stolen, Time{0});
  EXPECT_EQ(s.shared, Time{20});
}

TEST(Beside, WhatSmsAndMemoryTakeIsToldApart) {
  // 100 alone, 200 with half of the SMs, 400 with half of the memory as well.
  Transfer t = alike(Time{0}, Time{1000});
  t.memory = 5;
  SmallWorkload w = beside(t, 8, 0, {{{0, 100}}});
  const SegmentSpan s = segments(w).at(0);
  EXPECT_EQ(s.end, Time{400});
  EXPECT_EQ(s.stolen, Time{100});
  EXPECT_EQ(s.shared, Time{200});
}

TEST(Beside, ATransferThatBeginsInsideASegmentCutsIt) {
  // Three kernels of 40 alone, launched at 0. At 50, in the second, SMs are held: its last 30 take 60, the third 80.
  SmallWorkload w(1);
  w.group({0});
  w.held_by = {{8, 0, 0}};
  w.transfer(alike(Time{0}, Time{1000}));
  w.kernels.resize(1);
  w.segment_of(0, 0, {{0, 40}, {0, 40}, {0, 40}});
  w.segment_of(0, 1, {{0, 50}});
  w.join(0, 1, 0, 0);
  const auto all = segments(w);
  EXPECT_EQ(all.at(1).end, Time{40 + 10 + 60 + 80});
  EXPECT_EQ(all.at(1).stolen, Time{30 + 40});
}

TEST(Beside, AHostThatIsSlowHidesWhatIsTaken) {
  // Launched every 100: a kernel of 40 that takes 80 meanwhile delays nothing but the end.
  SmallWorkload w = beside(alike(Time{0}, Time{1000}), 8, 0, {{{100, 40}, {100, 40}, {100, 40}}});
  const SegmentSpan s = segments(w).at(0);
  EXPECT_EQ(s.end, Time{380});
  EXPECT_EQ(s.stolen, Time{120});
  EXPECT_TRUE(s.host_bound);
}

TEST(Beside, TransfersThatContendHoldTheirSmsLonger) {
  // Two transfers of 100 fill one port each alone: both end at 200. A kernel of 150 at half speed has done 100 by then.
  SmallWorkload w(1);
  w.group({0}), w.group({0});
  w.held_by = {{8, 0, 0}, {}};
  for (int i = 0; i < 2; ++i) w.transfer(alike(Time{0}, Time{100}, {100, 0, 0, 0}));
  w.table[0].capacity[0] = 1'000'000'000'000;
  w.kernels.resize(1);
  w.join(0, 1, 0, 0).join(0, 2, 1, 1);
  w.segment_of(0, 0, {{0, 150}});
  EXPECT_EQ(segments(w).at(0).end, Time{250});
  EngineOptions apart;
  apart.share_ports = false;
  EXPECT_EQ(segments(w, apart).at(0).end, Time{200});
}

TEST(Beside, WhatTransfersTakeWithoutAnOverlapChangesNothing) {
  // On one stream: kernels and transfers take turns.
  const auto program = [](std::int32_t sms) {
    SmallWorkload w(2);
    w.group({0, 1});
    w.held_by = {{sms, 0, 0}};
    w.transfer(alike(Time{3}, Time{40}));
    w.kernels.resize(2);
    for (std::uint32_t a = 0; a < 2; ++a)
      for (int i = 0; i < 3; ++i) {
        w.segment_of(a, 0, {{7, 30 + a}, {50, 20}});
        w.join(a, 0, 0, 0);
      }
    return w;
  };
  SmallWorkload taking = program(50), not_taking = program(0);
  EXPECT_EQ(run(taking).end, run(not_taking).end);
  for (const SegmentSpan& s : segments(taking)) EXPECT_EQ(s.stolen + s.shared, Time{0});
}

TEST(Beside, AWorkloadThatTakesMustSayHowFastItsSegmentsGo) {
  struct Mute : SmallWorkload {
    using SmallWorkload::SmallWorkload;
    PacedSegment paced(ActorId a, std::uint32_t id, BlockTag tag, Beside b) override { return Workload::paced(a, id, tag, b); }
  };
  Mute w(1);
  w.group({0});
  w.held_by = {{1, 0, 0}};
  w.transfer(alike(Time{0}, Time{10}));
  w.kernels.resize(1);
  w.join(0, 1, 0, 0);
  w.segment_of(0, 0, {{0, 5}});
  EXPECT_THROW(run(w), InternalError);
}

}  // namespace
}  // namespace moesim
