// One actor: host, streams, event slots, launch queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/engine/table_workload.h"

namespace moesim {
namespace {

using test::TableWorkload;
using ::testing::ElementsAre;

struct Log : Observer {
  std::vector<SegmentSpan> segments;
  std::vector<WaitSpan> waits;
  std::vector<std::pair<Time, Time>> host_waits;
  std::vector<Time> marks;
  void on_segment(const SegmentSpan& s) override { segments.push_back(s); }
  void on_wait(const WaitSpan& s) override { waits.push_back(s); }
  void on_host_wait(ActorId, Time begin, Time end, SpanId) override { host_waits.emplace_back(begin, end); }
  void on_mark(ActorId, std::uint8_t, std::uint32_t, BlockTag, Time t) override { marks.push_back(t); }
  std::vector<Time> ends() const {
    std::vector<Time> out;
    for (const auto& s : segments) out.push_back(s.end);
    return out;
  }
};

RunResult run_logged(TableWorkload& w, Log& log, std::size_t queue = 1024) {
  Observer* observers[] = {&log};
  return run(w, observers, {queue});
}

TEST(Streams, an_empty_workload_ends_at_zero) {
  TableWorkload w(3);
  EXPECT_EQ(run(w).end, Time{0});
}

TEST(Streams, the_host_runs_ahead_of_a_busy_device) {
  // Launches end at 1, 2, 3; the device is busy 10 each: 1 + 30.
  TableWorkload w;
  for (int i = 0; i < 3; ++i) w.kernel(0, 0, Time{1}, Time{10});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{31});
  EXPECT_THAT(log.ends(), ElementsAre(Time{11}, Time{21}, Time{31}));
  EXPECT_EQ(log.segments[2].issued, Time{2});
  EXPECT_EQ(log.segments[2].ready, Time{21});
  EXPECT_FALSE(log.segments[2].host_bound);
}

TEST(Streams, a_slow_host_leaves_the_device_idle) {
  // Launches end at 10, 20, 30; the device needs 1 after each.
  TableWorkload w;
  for (int i = 0; i < 3; ++i) w.kernel(0, 0, Time{10}, Time{1});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{31});
  EXPECT_THAT(log.ends(), ElementsAre(Time{11}, Time{21}, Time{31}));
  EXPECT_TRUE(log.segments[2].host_bound);
}

TEST(Streams, run_side_by_side_but_share_the_host) {
  // Stream 0: 1 + 100. Stream 1 is launched at 2: 2 + 50.
  TableWorkload w;
  w.kernel(0, 0, Time{1}, Time{100}).kernel(0, 1, Time{1}, Time{50});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{101});
  EXPECT_THAT(log.ends(), ElementsAre(Time{101}, Time{52}));
}

TEST(Streams, a_wait_holds_its_stream_until_the_record) {
  // Stream 0 is done at 101; stream 1 waits from 1 (host) to 101, then runs 10.
  TableWorkload w;
  w.kernel(0, 0, Time{1}, Time{100}).record(0, 0, 3).wait(0, 1, 3).kernel(0, 1, Time{1}, Time{10});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{111});
  ASSERT_EQ(log.waits.size(), 1U);
  EXPECT_EQ(log.waits[0].begin, Time{1});
  EXPECT_EQ(log.waits[0].end, Time{101});
  EXPECT_EQ(log.waits[0].slot, 3);
  EXPECT_EQ(log.waits[0].cause, log.segments[0].span);
  EXPECT_EQ(log.segments[1].cause, log.segments[0].span);
}

TEST(Streams, a_wait_on_a_slot_never_recorded_is_satisfied_at_once) {
  TableWorkload w;
  w.wait(0, 0, 2).host_wait(0, 5).kernel(0, 0, Time{1}, Time{1});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{2});
  EXPECT_TRUE(log.waits.empty());
  EXPECT_TRUE(log.host_waits.empty());
}

TEST(Streams, a_wait_means_the_latest_record_issued_before_it) {
  // Slot 0 is recorded at 101 on stream 0, then, later in host order, at 1002 on stream 1; the wait between the two means the first.
  TableWorkload w;
  w.kernel(0, 0, Time{1}, Time{100}).record(0, 0, 0).wait(0, 2, 0);
  w.kernel(0, 1, Time{1}, Time{1000}).record(0, 1, 0).wait(0, 3, 0);
  w.kernel(0, 2, Time{0}, Time{5}).kernel(0, 3, Time{0}, Time{7});
  Log log;
  run_logged(w, log);
  EXPECT_EQ(log.segments[2].end, Time{106});
  EXPECT_EQ(log.segments[3].end, Time{1009});
}

TEST(Streams, a_wait_behind_a_transfer_means_its_own_record_even_if_the_slot_was_reused) {
  // Stream 0 is held by a transfer until 50, so its record of slot 0 is reached at 50. Stream 1 records the same slot at once (0).
  // The first wait (stream 2) refers to the first record, the second (stream 3) to the second.
  TableWorkload w;
  w.group({0});
  const auto t = w.transfer(test::alike(Time{0}, Time{50}));
  w.join(0, 0, 0, t).record(0, 0, 0).wait(0, 2, 0).record(0, 1, 0).wait(0, 3, 0);
  w.kernel(0, 2, Time{0}, Time{1}).kernel(0, 3, Time{0}, Time{1});
  Log log;
  run_logged(w, log);
  ASSERT_EQ(log.segments.size(), 2U);
  EXPECT_EQ(log.segments[0].stream, 3);
  EXPECT_EQ(log.segments[0].end, Time{1});
  EXPECT_EQ(log.segments[1].stream, 2);
  EXPECT_EQ(log.segments[1].end, Time{51});
}

TEST(Streams, a_record_on_an_idle_stream_is_reached_when_it_is_issued) {
  // The host works until 30 (stream 0), then records on the idle stream 1: 30. Stream 2 runs 5 after that.
  TableWorkload w;
  w.kernel(0, 0, Time{30}, Time{0}).record(0, 1, 0).wait(0, 2, 0).kernel(0, 2, Time{0}, Time{5});
  EXPECT_EQ(run(w).end, Time{35});
}

TEST(Streams, a_host_wait_stops_the_host) {
  // The device is done at 101; the host goes on then: launch until 102, device until 112.
  TableWorkload w;
  w.kernel(0, 0, Time{1}, Time{100}).record(0, 0, 0).host_wait(0, 0).kernel(0, 0, Time{1}, Time{10});
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{112});
  EXPECT_THAT(log.host_waits, ElementsAre(std::pair(Time{1}, Time{101})));
  EXPECT_EQ(log.segments[1].issued, Time{101});
  EXPECT_TRUE(log.segments[1].host_bound);
  EXPECT_EQ(log.segments[1].cause, log.segments[0].span);
}

TEST(Streams, a_host_wait_on_a_transfer_resumes_with_its_end) {
  TableWorkload w;
  w.group({0});
  const auto t = w.transfer(test::alike(Time{5}, Time{50}));
  w.join(0, 1, 0, t).record(0, 1, 0).host_wait(0, 0).kernel(0, 0, Time{2}, Time{3});
  EXPECT_EQ(run(w).end, Time{60});
}

TEST(Streams, a_full_launch_queue_stalls_the_host) {
  // Queue of 2. Kernel i starts at 100 i + 1 on the device. The host issues kernels 0 (starts at 0), 1 and 2 at once, at 0, 1, 2;
  // kernel 3 fits when kernel 1 starts (101), kernel 4 when kernel 2 does (201), and so on.
  TableWorkload w;
  for (int i = 0; i < 6; ++i) w.kernel(0, 0, Time{1}, Time{100});
  Log log;
  EXPECT_EQ(run_logged(w, log, 2).end, Time{601});
  std::vector<Time> issued;
  for (const auto& s : log.segments) issued.push_back(s.issued);
  EXPECT_THAT(issued, ElementsAre(Time{0}, Time{1}, Time{2}, Time{101}, Time{201}, Time{301}));
}

TEST(Streams, a_full_launch_queue_delays_work_on_other_streams) {
  // As above with a queue of 1: the kernel on stream 1 is issued after the third on stream 0, at 101 + 1, and ends at 102 + 1 + 5.
  TableWorkload w;
  for (int i = 0; i < 3; ++i) w.kernel(0, 0, Time{1}, Time{100});
  w.kernel(0, 1, Time{1}, Time{5});
  Log log;
  run_logged(w, log, 1);
  EXPECT_EQ(log.segments[3].issued, Time{102});
  EXPECT_EQ(log.segments[3].end, Time{108});
}

TEST(Streams, a_launch_queue_full_behind_a_transfer_frees_with_its_end) {
  // Queue of 2 behind a transfer that ends at 50: two steps wait there, the third is issued at 50 when the first of them starts.
  TableWorkload w;
  w.group({0});
  const auto t = w.transfer(test::alike(Time{0}, Time{50}));
  w.join(0, 0, 0, t);
  for (int i = 0; i < 3; ++i) w.kernel(0, 0, Time{1}, Time{10});
  Log log;
  EXPECT_EQ(run_logged(w, log, 2).end, Time{80});
  EXPECT_EQ(log.segments[2].issued, Time{50});
}

TEST(Streams, marks_look_and_change_nothing) {
  const auto build = [](bool marks) {
    TableWorkload w;
    for (int i = 0; i < 9; ++i) {
      if (marks) w.mark(0, 0, 7);
      w.kernel(0, 0, Time{3}, Time{4 + i % 2 * 20});
    }
    return w;
  };
  TableWorkload with = build(true), without = build(false);
  Log log;
  EXPECT_EQ(run_logged(with, log, 2).end, run(without, {}, {2}).end);
  ASSERT_EQ(log.marks.size(), 9U);
  EXPECT_EQ(log.marks[0], Time{0});
  EXPECT_EQ(log.marks[1], Time{7});  // launched until 3, 4 on the device
}

TEST(Streams, counters_count_what_was_run) {
  TableWorkload w;
  w.run(0, 0, Segment{Time{1}, Time{2}, Time{3}, 12}).block(0).run(0, 0, Segment{Time{1}, Time{2}, Time{3}, 5});
  const EngineCounters c = run(w).counters;
  EXPECT_EQ(c.segments, 2U);
  EXPECT_EQ(c.kernels, 17U);
  EXPECT_EQ(c.transfers, 0U);
}

TEST(Streams, a_step_out_of_range_or_of_negative_length_is_an_internal_error) {
  TableWorkload stream;
  stream.kernel(0, 9, Time{1}, Time{1});
  EXPECT_THROW(run(stream), InternalError);
  TableWorkload slot;
  slot.record(0, 0, 8);
  EXPECT_THROW(run(slot), InternalError);
  TableWorkload negative;
  negative.kernel(0, 0, Time{-1}, Time{1});
  EXPECT_THROW(run(negative), InternalError);
}

}  // namespace
}  // namespace moesim
