// Workloads that break their contract, and runs that cannot go on: one text each.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "unit/engine/table_workload.h"

namespace moesim {
namespace {

using namespace test;

std::string error_of(Workload& w, const EngineOptions& options = {}) {
  try {
    run(w, {}, options);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "no error";
}

std::string error_of_step(StepKind kind, int stream, int slot, std::uint32_t id = 0) {
  TableWorkload w;
  w.add(0, TableWorkload::step(kind, stream, slot, id));
  return error_of(w);
}

TEST(Breach, StepsOutOfRange) {
  EXPECT_EQ(error_of_step(StepKind::segment, 4, 0, 7), "engine: a step of actor 0 (kind 0, stream 4, slot 0, id 7) is on no stream: there are 4");
  EXPECT_EQ(error_of_step(StepKind::transfer, 200, 0), "engine: a step of actor 0 (kind 1, stream 200, slot 0, id 0) is on no stream: there are 4");
  EXPECT_EQ(error_of_step(StepKind::mark, 4, 0), "engine: a step of actor 0 (kind 5, stream 4, slot 0, id 0) is on no stream: there are 4");
  EXPECT_EQ(error_of_step(StepKind::record, 0, 8), "engine: a step of actor 0 (kind 2, stream 0, slot 8, id 0) is about no event slot: there are 8");
  EXPECT_EQ(error_of_step(StepKind::wait, 3, 65535), "engine: a step of actor 0 (kind 3, stream 3, slot 65535, id 0) is about no event slot: there are 8");
  EXPECT_EQ(error_of_step(StepKind::host_wait, 0, 9), "engine: a step of actor 0 (kind 4, stream 0, slot 9, id 0) is about no event slot: there are 8");
  EXPECT_EQ(error_of_step(static_cast<StepKind>(6), 0, 0), "engine: a step of actor 0 (kind 6, stream 0, slot 0, id 0) has an unknown kind");
}

TEST(Breach, LinksOutOfRangeOrWithoutCapacity) {
  const auto error_with = [](std::vector<std::int64_t> capacities, std::int64_t bytes) {
    TableWorkload w;
    w.link_capacities = std::move(capacities);
    w.group({0});
    Transfer t = alike(Time{0}, Time{1});
    t.links = {{LinkId{1}, bytes}};
    w.transfer(t);
    w.join(0, 0, 0, 0);
    return error_of(w);
  };
  EXPECT_EQ(error_with({5, 5}, 5), "no error");
  EXPECT_EQ(error_with({5, 0}, 5), "engine: a transfer loads link 1 whose capacity is 0 bytes/s");
  EXPECT_EQ(error_with({5}, 5), "engine: a transfer loads link 1 of 1");
  EXPECT_EQ(error_with({5, 5}, -5), "engine: a transfer loads a port with -5 bytes");
}

TEST(Breach, GroupsAndMembersOutOfRange) {
  TableWorkload unknown(2);
  unknown.group({0, 1});
  unknown.table[0].groups[0] = 3;
  unknown.transfer(alike(Time{0}, Time{1}));
  unknown.join(0, 0, 0, 0);
  EXPECT_EQ(error_of(unknown), "engine: group slot 0 of actor 0 is group 3 of 1");

  TableWorkload stranger(2);
  stranger.group({0});
  stranger.table[1].groups = {0};
  stranger.transfer(alike(Time{0}, Time{1}));
  stranger.join(1, 0, 0, 0);
  EXPECT_EQ(error_of(stranger), "engine: actor 1 is no member of its group 0");

  TableWorkload outside(2);
  outside.group_members.push_back({ActorId{0}, ActorId{2}});
  EXPECT_EQ(error_of(outside), "engine: group 0 has an unknown member 2");

  TableWorkload twice(2);
  twice.group_members.push_back({ActorId{1}, ActorId{0}, ActorId{1}});
  EXPECT_EQ(error_of(twice), "engine: group 0 has member 1 twice");
}

TEST(Breach, NegativeTimesAndBytes) {
  for (const Segment s : {Segment{Time{-1}, Time{0}, Time{0}, 1}, Segment{Time{0}, Time{-1}, Time{0}, 1}, Segment{Time{0}, Time{0}, Time{-1}, 1}}) {
    TableWorkload w;
    w.run(0, 0, s);
    EXPECT_EQ(error_of(w), "engine: a step of actor 0 (kind 0, stream 0, slot 0, id 0) has a negative duration");
  }
  const auto of = [](Transfer t) {
    TableWorkload w;
    w.group({0});
    w.transfer(std::move(t));
    w.join(0, 0, 0, 0);
    return error_of(w);
  };
  const std::string rule = "engine: transfer 0 of group 0 (1 members) must have latency, span >= 0, 0 <= done <= span, and one entry or one a member; it has latency ";
  EXPECT_EQ(of(alike(Time{-1}, Time{5})), rule + "-1 ps, span 5 ps, 1 entries");
  EXPECT_EQ(of({Time{0}, Time{-5}, {{{}, Time{0}}}}), rule + "0 ps, span -5 ps, 1 entries");
  EXPECT_EQ(of({Time{0}, Time{5}, {{{}, Time{-1}}}}), rule + "0 ps, span 5 ps, 1 entries");
  EXPECT_EQ(of({Time{0}, Time{5}, {{{}, Time{6}}}}), rule + "0 ps, span 5 ps, 1 entries");
  EXPECT_EQ(of({Time{0}, Time{5}, {}}), rule + "0 ps, span 5 ps, 0 entries");
  EXPECT_EQ(of(alike(Time{0}, Time{5}, {0, -3, 0, 0})), "engine: a transfer loads a port with -3 bytes");
}

TEST(Breach, NoLaunchQueueAndTooManyStreams) {
  TableWorkload w;
  EXPECT_EQ(error_of(w, {0}), "engine: launch_queue must be at least 1");
  w.stream_count = 255;
  EXPECT_EQ(error_of(w), "engine: an actor may have at most 254 streams");
}

TEST(TooLong, IsBadInputAndNotAClampedTime) {
  const auto text = [](TableWorkload& w) {
    try {
      run(w);
    } catch (const TooLong& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string want = "the run takes longer than 46 days";
  const Time most = kLongestTime;
  TableWorkload fits;
  fits.kernel(0, 0, Time{0}, most);
  EXPECT_EQ(run(fits).end, most);
  TableWorkload device;
  device.kernel(0, 0, Time{0}, most).kernel(0, 0, Time{0}, Time{1});
  EXPECT_EQ(text(device), want);
  TableWorkload host;
  host.kernel(0, 0, most, Time{0}).kernel(0, 0, Time{1}, Time{0});
  EXPECT_EQ(text(host), want);
  TableWorkload latency;
  latency.group({0});
  latency.transfer(alike(most, Time{1}));
  latency.join(0, 0, 0, 0);
  EXPECT_EQ(text(latency), want);
  TableWorkload slow;                       // 1 GB through a port of one byte a second: 31 years
  slow.group({0});
  slow.transfer(alike(Time{0}, kSecond, {1'000'000'000, 0, 0, 0}));
  slow.join(0, 0, 0, 0);
  slow.table[0].capacity[0] = 1;
  EXPECT_EQ(text(slow), want);
}

TEST(TooLong, AsksOnlyHowLongItTakesInTheEnd) {
  // While both move, the large one would end at 6,000,000 s; the port is its own from half of its way on.
  TableWorkload w;
  w.group({0});
  w.group({0});
  w.transfer(alike(Time{0}, kSecond, {3'000'000, 0, 0, 0}));
  w.transfer(alike(Time{0}, kSecond, {1'000'000, 0, 0, 0}));
  w.join(0, 0, 0, 0).join(0, 1, 1, 1);
  w.table[0].capacity[0] = 1;              // a byte a second: the small one is done at 2,000,000 s, the large one at 4,000,000 s
  const Time end = run(w).end;
  EXPECT_LE(end, kLongestTime);
  EXPECT_GE(end, kLongestTime - kMillisecond);   // speeds are rounded up in the 60th bit
}

TEST(Deadlock, ShowsTheChainOfWhoWaitsForWhom) {
  TableWorkload w(2);
  w.group({0, 1});
  w.group({0, 1});
  w.transfer(alike(Time{0}, Time{1}));
  w.join(0, 0, 0, 0).join(0, 0, 1, 0).join(1, 0, 1, 0).join(1, 0, 0, 0);
  EXPECT_EQ(error_of(w),
            "deadlock at 0 ps: actor 0, stream 0, has joined transfer 0 of group 0 (layer 0, micro-batch 0) and waits for actor 1 (1 of 2 members have "
            "not joined); actor 1, stream 0, has joined transfer 0 of group 1 (layer 0, micro-batch 0) and waits for actor 0 (1 of 2 members have not "
            "joined)");
}

TEST(Deadlock, NamesAHostThatWaitsBehindATransfer) {
  TableWorkload w(3);
  w.group({0, 1});
  w.group({1, 2});
  w.transfer(alike(Time{0}, Time{1}));
  w.join(0, 1, 0, 0);
  w.kernel(1, 0, Time{3}, Time{4}).record(1, 0, 2).host_wait(1, 2).join(1, 0, 1, 0).record(1, 0, 5).host_wait(1, 5).join(1, 1, 0, 0);
  EXPECT_EQ(error_of(w),
            "deadlock at 0 ps: actor 0, stream 1, has joined transfer 0 of group 0 (layer 0, micro-batch 0) and waits for actor 1 (1 of 2 members have "
            "not joined); actor 1, stream 0, has joined transfer 0 of group 1 (layer 0, micro-batch 0) and waits for actor 2 (1 of 2 members have not "
            "joined), its host waits for event slot 5, which stream 0 is to record; actor 2 has finished its program");
}

TEST(Deadlock, NamesAFullLaunchQueue) {
  // Actor 0's host may not launch its second transfer, which actor 1 waits for, before the first has begun, which needs actor 1.
  TableWorkload w(2);
  w.group({0, 1});
  w.group({0, 1});
  w.transfer(alike(Time{0}, Time{1}));
  w.group({0, 1});
  w.join(0, 0, 0, 0).kernel(0, 0, Time{1}, Time{1}).kernel(0, 0, Time{1}, Time{1}).join(0, 1, 1, 0);
  w.join(1, 0, 1, 0).join(1, 0, 0, 0);
  EXPECT_EQ(error_of(w, {1}),
            "deadlock at 0 ps: actor 0, stream 0, has joined transfer 0 of group 0 (layer 0, micro-batch 0) and waits for actor 1 (1 of 2 members have "
            "not joined), its host waits for the launch queue of stream 0; actor 1, stream 0, has joined transfer 0 of group 1 (layer 0, micro-batch 0) and waits for actor 0 (1 of 2 members have not "
            "joined)");
}

}  // namespace
}  // namespace moesim
