#include "engine/engine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/critical_path.h"
#include "script_workload.h"

namespace moesim {
namespace {

/// Ends of transfers and segments as the engine reports them.
struct Log : Observer {
  std::vector<SegmentSpan> segments;
  std::vector<TransferSpan> transfers;
  std::vector<WaitSpan> waits;
  void on_segment(const SegmentSpan& s) override { segments.push_back(s); }
  void on_transfer(const TransferSpan& t) override { transfers.push_back(t); }
  void on_wait(const WaitSpan& w) override { waits.push_back(w); }
};

RunResult run_logged(ScriptWorkload& w, Log& log) {
  Observer* o = &log;
  return run(w, {&o, 1});
}

TEST(Segment, IsTheSameAsItsKernelsOneByOne) {
  const Segment a = Segment::kernel(Time{5}, Time{3}), b = Segment::kernel(Time{2}, Time{10}), c = Segment::kernel(Time{7}, Time{1});
  EXPECT_EQ(a.then(b).then(c), a.then(b.then(c)));
  for (std::int64_t h = 0; h < 30; h += 3)
    for (std::int64_t d = 0; d < 30; d += 3) {
      std::int64_t host = h, dev = d;
      for (const Segment& k : {a, b, c}) {
        host += k.host.count();
        dev = std::max(dev, host) + k.device.count();
      }
      const Segment s = a.then(b).then(c);
      EXPECT_EQ(host, h + s.host.count());
      EXPECT_EQ(dev, std::max(d + s.device.count(), h + s.lag.count()));
    }
}

TEST(Engine, HostThatIsSlowerThanTheDeviceSetsThePace) {
  ScriptWorkload w;
  w.all.resize(1);
  const auto k = w.add_segment(Segment::kernel(Time{10}, Time{3}));
  w.all[0].steps = {seg(0, k), seg(0, k), seg(0, k)};
  EXPECT_EQ(run(w).end, Time{33});   // 3 launches of 10, then the last kernel's 3
}

TEST(Engine, HostWaitMakesTheNextLaunchVisible) {
  ScriptWorkload w;
  w.all.resize(1);
  const auto k = w.add_segment(Segment::kernel(Time{1}, Time{100}));
  w.all[0].steps = {seg(0, k), rec(0, 0), hwait(0), seg(0, k)};
  EXPECT_EQ(run(w).end, Time{1 + 100 + 1 + 100});
  w.all[0].given = false;
  w.all[0].steps = {seg(0, k), seg(0, k)};
  EXPECT_EQ(run(w).end, Time{1 + 200});
}

TEST(Engine, AWaitRefersToTheLatestRecordIssuedBeforeIt) {
  ScriptWorkload w;
  w.all.resize(1);
  const auto k = w.add_segment(device(100)), q = w.add_segment(device(1));
  // Stream 1 waits for the first record only, although the second is issued before stream 1 gets to run.
  w.all[0].steps = {seg(0, k), rec(0, 0), wai(1, 0), seg(0, k), rec(0, 0), seg(1, q), rec(1, 1)};
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{200});
  EXPECT_EQ(log.segments.back().stream, 1);
  EXPECT_EQ(log.segments.back().end, Time{101});
}

TEST(Engine, ATransferStartsWithItsLastMemberAndEndsWithEachMembersMark) {
  ScriptWorkload w;
  w.all.resize(3);
  w.add_group(0, {0, 1, 2});
  const auto t = w.add_transfer({Time{5}, Time{30}, {{{30, 0, 0, 0}, Time{10}}, {{30, 0, 0, 0}, Time{30}}, {{0, 0, 0, 0}, Time{0}}}});
  for (std::uint32_t a = 0; a < 3; ++a) w.all[a].steps = {seg(0, w.add_segment(device(10 * (a + 1)))), xfer(0, 0, t)};
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{65});
  ASSERT_EQ(log.transfers.size(), 3u);
  for (const TransferSpan& s : log.transfers) {
    EXPECT_EQ(s.started, Time{30});
    EXPECT_EQ(s.joined, Time{10 * (s.actor.value() + 1)});
    EXPECT_EQ(s.end, (std::vector{Time{45}, Time{65}, Time{35}}[s.actor.index()]));   // 30 + 5 + {10, 30, 0}
  }
}

/// Actors 0 and 1 share `n` groups of the two of them, each on its own stream, each moving 100 bytes in 100 ps when alone.
ScriptWorkload sharing(std::uint8_t n, std::vector<std::int64_t> starts) {
  ScriptWorkload w;
  w.all.resize(2);
  const auto t = w.add_transfer(uniform(100, 100));
  for (std::uint8_t s = 0; s < n; ++s) {
    w.add_group(s, {0, 1});
    for (auto& a : w.all) {
      a.steps.push_back(seg(s, w.add_segment(device(starts[s]))));
      a.steps.push_back(xfer(s, s, t));
    }
  }
  return w;
}

TEST(Engine, TwoTransfersOnOnePortGetHalfEach) {
  ScriptWorkload w = sharing(2, {0, 0});
  EXPECT_EQ(run(w).end, Time{200});
}

TEST(Engine, ALateTransferSharesOnlyWhileBothMove) {
  // Alone until 50 (50 bytes), half speed until the first's other 50 bytes are done at 150; the second has 50 left: 200.
  ScriptWorkload w = sharing(2, {0, 50});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{200});
  EXPECT_EQ(log.transfers.front().end, Time{150});
}

TEST(Engine, ThreeSharersGetAThird) {
  ScriptWorkload w = sharing(3, {0, 0, 0});
  EXPECT_EQ(run(w).end, Time{300});
}

TEST(Engine, ATransferThatAsksForMoreThanAPortGivesIsSlowed) {
  ScriptWorkload w = sharing(1, {0});
  w.port_capacity = 250'000'000'000;   // a quarter of a byte a picosecond
  EXPECT_EQ(run(w).end, Time{400});
}

TEST(Engine, MaxMinFairnessGivesSpareBandwidthToWhoCanUseIt) {
  // Flow A uses ports of actors 0 and 1, B of 1 and 2, C of 1 and 3; C moves at most a fifth of a byte a picosecond by itself.
  // At port 1: C gets 0.2, A and B 0.4 each: 100 bytes take 250.
  ScriptWorkload w;
  w.all.resize(4);
  const auto fast = w.add_transfer(uniform(100, 100)), slow = w.add_transfer(uniform(100, 500));
  w.add_group(0, {0, 1});
  w.add_group(1, {1, 2});
  w.add_group(2, {1, 3});
  w.all[0].steps = {xfer(0, 0, fast)};
  w.all[1].steps = {xfer(0, 0, fast), xfer(1, 1, fast), xfer(2, 2, slow)};
  w.all[2].steps = {xfer(1, 1, fast)};
  w.all[3].steps = {xfer(2, 2, slow)};
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{500});
  EXPECT_EQ(log.transfers[0].end, Time{250});
  EXPECT_EQ(log.transfers[2].end, Time{250});
}

TEST(Engine, CopiesOfAContendedProblemTakeTheSamePicoseconds) {
  const auto build = [](std::uint32_t copies) {
    ScriptWorkload w;
    w.all.resize(3 * copies);
    const auto a = w.add_transfer(uniform(977, 1009)), b = w.add_transfer(uniform(1013, 1021, 7)), c = w.add_transfer(uniform(331, 991, 3));
    for (std::uint32_t k = 0; k < copies; ++k) {
      const std::uint32_t x = 3 * k;
      w.add_group(0, {x, x + 1});
      w.add_group(1, {x + 1, x + 2});
      w.add_group(2, {x, x + 2});
      const auto s = w.add_segment(device(211));
      w.all[x].steps = {xfer(0, 0, a), seg(2, s), xfer(2, 2, c)};
      w.all[x + 1].steps = {xfer(0, 0, a), xfer(1, 1, b)};
      w.all[x + 2].steps = {xfer(1, 1, b), xfer(2, 2, c)};
    }
    return w;
  };
  ScriptWorkload one = build(1);
  const Time want = run(one).end;
  for (std::uint32_t n : {2u, 5u, 17u}) {
    ScriptWorkload many = build(n);
    EXPECT_EQ(run(many).end, want);
  }
}

TEST(Engine, ADeadlockNamesWhoIsMissing) {
  ScriptWorkload w;
  w.all.resize(2);
  w.add_group(0, {0, 1});
  w.all[0].steps = {xfer(0, 0, w.add_transfer(uniform(1, 1)))};
  try {
    run(w);
    FAIL() << "no error";
  } catch (const InternalError& e) {
    EXPECT_STREQ(e.what(), "deadlock at 0 ps: actor 0, stream 0, has joined transfer 0 of group 0 (layer 0, micro-batch 0) and waits for actor 1 "
                           "(1 of 2 members have not joined); actor 1 has finished its program");
  }
}

TEST(Engine, MembersThatDisagreeAreAnError) {
  ScriptWorkload w;
  w.all.resize(2);
  w.add_group(0, {0, 1});
  w.all[0].steps = {xfer(0, 0, w.add_transfer(uniform(1, 1)))};
  w.all[1].steps = {xfer(0, 0, w.add_transfer(uniform(1, 1)))};
  EXPECT_THROW(run(w), InternalError);
}

TEST(Engine, AFullLaunchQueueHoldsTheHost) {
  ScriptWorkload w;
  w.all.resize(1);
  const auto k = w.add_segment(device(10)), host = w.add_segment({Time{0}, Time{0}, Time{0}, 0});
  for (int i = 0; i < 100; ++i) w.all[0].steps.push_back(seg(0, k));
  w.all[0].steps.push_back(seg(1, host));
  Log log;
  Observer* o = &log;
  EngineOptions options;
  options.launch_queue = 4;
  EXPECT_EQ(run(w, {&o, 1}, options).end, Time{1000});
}

TEST(CriticalPath, CoversTheRunWithoutHoles) {
  ScriptWorkload w;
  w.all.resize(2);
  w.add_group(0, {0, 1});
  const auto t = w.add_transfer(uniform(10, 10, 2));
  const auto a = w.add_segment(Segment::kernel(Time{4}, Time{20})), b = w.add_segment(Segment::kernel(Time{4}, Time{50}));
  w.all[0].steps = {seg(0, a), xfer(0, 0, t), seg(0, a)};
  w.all[1].steps = {seg(0, b), xfer(0, 0, t), seg(0, b)};
  CriticalPath path;
  Observer* o = &path;
  const Time end = run(w, {&o, 1}).end;
  const std::vector<PathItem> items = path.items(end);
  Time at{0};
  for (const PathItem& i : items) {
    EXPECT_EQ(i.begin, at);
    at = i.end;
  }
  EXPECT_EQ(at, end);
  // launch 4, kernel 50, transfer 12, kernel 50: all of actor 1
  EXPECT_EQ(end, Time{116});
}

}  // namespace
}  // namespace moesim
