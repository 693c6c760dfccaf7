// Groups of actors: joining, latency, ends, contention.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/engine/table_workload.h"

namespace moesim {
namespace {

using test::alike;
using test::TableWorkload;

struct Log : Observer {
  std::vector<TransferSpan> transfers;
  std::vector<SegmentSpan> segments;
  void on_transfer(const TransferSpan& s) override { transfers.push_back(s); }
  void on_segment(const SegmentSpan& s) override { segments.push_back(s); }
  Time end_of(std::uint32_t actor) const {
    for (const auto& t : transfers) if (t.actor == ActorId{actor}) return t.end;
    return Time{-1};
  }
};

RunResult run_logged(TableWorkload& w, Log& log) {
  Observer* observers[] = {&log};
  return run(w, observers);
}

std::string error_of(TableWorkload& w) {
  try {
    run(w);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "no error";
}

constexpr std::int64_t kGB = 1'000'000'000;

TEST(Transfers, start_when_the_last_member_joins) {
  // Ready at 11, 31, 21: starts at 31, loads from 31 + 5, ends at 36 + 100.
  TableWorkload w(3);
  w.group({0, 1, 2});
  w.transfer(alike(Time{5}, Time{100}));
  for (std::uint32_t a = 0; a < 3; ++a) {
    const std::int64_t device[] = {10, 30, 20};
    w.kernel(a, 0, Time{1}, Time{device[a]}).join(a, 0, 0, 0);
  }
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{136});
  ASSERT_EQ(log.transfers.size(), 3U);
  EXPECT_EQ(log.transfers[0].joined, Time{11});
  EXPECT_EQ(log.transfers[0].started, Time{31});
  EXPECT_EQ(log.transfers[0].end, Time{136});
  EXPECT_EQ(log.transfers[0].last, ActorId{1});
  EXPECT_EQ(log.transfers[0].cause, log.segments[1].span);
  EXPECT_EQ(log.transfers[2].cause, log.segments[1].span);
}

TEST(Transfers, end_for_each_member_at_its_own_mark) {
  TableWorkload w(3);
  w.group({0, 1, 2});
  w.transfer({Time{5}, Time{100}, {{{}, Time{40}}, {{}, Time{100}}, {{}, Time{0}}}});
  for (std::uint32_t a = 0; a < 3; ++a) w.join(a, 0, 0, 0);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{105});
  EXPECT_EQ(log.end_of(0), Time{45});
  EXPECT_EQ(log.end_of(1), Time{105});
  EXPECT_EQ(log.end_of(2), Time{5});
}

TEST(Transfers, without_span_end_after_the_latency) {
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer(alike(Time{7}, Time{0}, {1000, 0, 0, 0}));
  w.join(0, 0, 0, 0).join(1, 0, 0, 0);
  EXPECT_EQ(run(w).end, Time{7});
}

TEST(Transfers, a_member_may_join_the_next_one_while_others_are_still_in_this_one) {
  // Member 0 leaves the first at 10 and joins the second; member 1 leaves at 100; the second takes 10 more.
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer({Time{0}, Time{100}, {{{}, Time{10}}, {{}, Time{100}}}});
  w.transfer(alike(Time{0}, Time{10}));
  for (std::uint32_t a = 0; a < 2; ++a) w.join(a, 0, 0, 0).join(a, 0, 0, 1);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{110});
  EXPECT_EQ(log.transfers[2].joined, Time{10});
  EXPECT_EQ(log.transfers[3].joined, Time{100});
}

TEST(Transfers, two_that_share_a_port_get_half_each) {
  // Each alone: 100 GB/s for 1 ms = 100 MB. Together 200 MB through one port of 100 GB/s: both end at 2 ms.
  TableWorkload w(3);
  w.group({0, 1});
  w.group({0, 2});
  w.transfer({Time{0}, kMillisecond, {{{kGB / 10, 0, 0, 0}, kMillisecond}, {{0, kGB / 10, 0, 0}, kMillisecond}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0).join(0, 1, 1, 0).join(2, 0, 0, 0);
  const RunResult r = run(w);
  EXPECT_EQ(r.end, 2 * kMillisecond);
  EXPECT_EQ(r.counters.contended_transfers, 2U);
}

TEST(Transfers, a_latecomer_shares_only_while_both_are_there) {
  // Flow 1 alone until 0.5 ms (half done), then shared: its second half takes 1 ms -> 1.5 ms. Flow 2 has done half by then, runs
  // alone: 1.5 + 0.5 = 2 ms.
  TableWorkload w(3);
  w.group({0, 1});
  w.group({0, 2});
  w.transfer({Time{0}, kMillisecond, {{{kGB / 10, 0, 0, 0}, kMillisecond}, {{0, kGB / 10, 0, 0}, kMillisecond}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0).join(0, 1, 1, 0);
  w.kernel(2, 0, Time{0}, kMillisecond / 2).join(2, 0, 0, 0);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, 2 * kMillisecond);
  EXPECT_EQ(log.end_of(1), kMillisecond * 3 / 2);
}

TEST(Transfers, that_share_a_port_without_filling_it_do_not_slow_each_other) {
  TableWorkload w(3);  // 40 % + 60 % of 100 GB/s
  w.group({0, 1});
  w.group({0, 2});
  w.transfer({Time{0}, kMillisecond, {{{kGB * 4 / 100, 0, 0, 0}, kMillisecond}, {{0, kGB * 4 / 100, 0, 0}, kMillisecond}}});
  w.transfer({Time{0}, kMillisecond, {{{kGB * 6 / 100, 0, 0, 0}, kMillisecond}, {{0, kGB * 6 / 100, 0, 0}, kMillisecond}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0).join(0, 1, 1, 1).join(2, 0, 0, 1);
  const RunResult r = run(w);
  EXPECT_EQ(r.end, kMillisecond);
  EXPECT_EQ(r.counters.solves, 0U);
  EXPECT_EQ(r.counters.contended_transfers, 0U);
}

TEST(Transfers, a_lone_one_that_asks_too_much_of_a_port_is_slowed_to_its_capacity) {
  // 100 MB "in 0.1 ms" through 100 GB/s takes 1 ms; the mark at 0.05 ms comes at half of that.
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer({Time{0}, kMillisecond / 10, {{{kGB / 10, 0, 0, 0}, kMillisecond / 20}, {{0, kGB / 10, 0, 0}, kMillisecond / 10}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, kMillisecond);
  EXPECT_EQ(log.end_of(0), kMillisecond / 2);
}

TEST(Transfers, share_fairly_in_bytes_per_second_not_in_progress) {
  // Through one port of 100 GB/s: A 100 MB (alone 1 ms), B 10 MB (alone 0.1 ms). 50 GB/s each: B ends at 0.2 ms, when A has 90 MB
  // left and the port for itself: 0.2 + 0.9 = 1.1 ms.
  TableWorkload w(3);
  w.group({0, 1});
  w.group({0, 2});
  w.transfer({Time{0}, kMillisecond, {{{kGB / 10, 0, 0, 0}, kMillisecond}, {{0, kGB / 10, 0, 0}, kMillisecond}}});
  w.transfer({Time{0}, kMillisecond / 10, {{{kGB / 100, 0, 0, 0}, kMillisecond / 10}, {{0, kGB / 100, 0, 0}, kMillisecond / 10}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0).join(0, 1, 1, 1).join(2, 0, 0, 1);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, kMillisecond * 11 / 10);
  EXPECT_EQ(log.end_of(2), kMillisecond / 5);
}

TEST(Transfers, a_flow_frozen_elsewhere_leaves_the_rest_of_a_port_to_others) {
  // Flows 0->2, 1->2 and 1->3. Port "in" of 2 has 60 GB/s, all others 100. Each flow 100 MB, alone 1 ms (0->2 and 1->2: 1.667 ms).
  // Progressive filling: in(2) is full at 30 each; 1->3 may take what is left of out(1): 70.
  // 1->3 ends at 100/70 ms = 1.428571428... ms; the others at 100 MB / 30 GB/s = 3.33.. ms.
  TableWorkload w(4);
  w.table[2].capacity[1] = 60 * kGB;
  const Time slow{1'666'666'667};
  w.group({0, 2});
  w.group({1, 2});
  w.group({1, 3});
  w.transfer({Time{0}, slow, {{{kGB / 10, 0, 0, 0}, slow}, {{0, kGB / 10, 0, 0}, slow}}});
  w.transfer({Time{0}, kMillisecond, {{{kGB / 10, 0, 0, 0}, kMillisecond}, {{0, kGB / 10, 0, 0}, kMillisecond}}});
  w.join(0, 0, 0, 0).join(2, 0, 0, 0).join(1, 0, 0, 0).join(2, 1, 1, 0).join(1, 1, 1, 1).join(3, 0, 0, 1);
  Log log;
  EXPECT_EQ(run_logged(w, log).end, Time{3'333'333'334});
  EXPECT_EQ(log.end_of(3), Time{1'428'571'429});
  EXPECT_EQ(log.end_of(0), Time{3'333'333'334});
}

TEST(Transfers, a_missing_member_is_a_deadlock_that_is_named) {
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer(alike(Time{0}, Time{1}));
  w.kernel(0, 1, Time{0}, Time{3}).join(0, 1, 0, 0);
  EXPECT_EQ(error_of(w),
            "deadlock at 0 ps: actor 0, stream 1, has joined transfer 0 of group 0 (layer 0, micro-batch 0) and waits for actor 1 "
            "(1 of 2 members have not joined); actor 1 has finished its program");
}

TEST(Transfers, a_host_that_waits_for_ever_is_a_deadlock_that_names_the_stream_to_record) {
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer(alike(Time{0}, Time{1}));
  w.wait(0, 1, 0).join(0, 1, 0, 0).record(0, 1, 4).host_wait(0, 4).kernel(0, 0, Time{1}, Time{1});
  w.kernel(1, 0, Time{1}, Time{1});
  EXPECT_THAT(error_of(w), ::testing::HasSubstr("actor 0, stream 1, has joined transfer 0 of group 0"));
}

TEST(Transfers, members_must_agree_on_the_transfer) {
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer(alike(Time{0}, Time{1}));
  w.transfer(alike(Time{0}, Time{1}));
  w.join(0, 0, 0, 0).join(1, 0, 0, 1);
  EXPECT_EQ(error_of(w), "engine: actor 1 joins group 0 with transfer 1, actor 0 with transfer 0");
}

TEST(Transfers, a_group_belongs_to_one_stream) {
  TableWorkload w(1);
  w.group({0});
  w.transfer(alike(Time{0}, Time{1}));
  w.join(0, 0, 0, 0).join(0, 1, 0, 0);
  EXPECT_EQ(error_of(w), "engine: actor 0 uses group 0 from stream 1 after stream 0; a group belongs to one stream");
}

TEST(Transfers, with_impossible_numbers_are_refused) {
  TableWorkload w(2);
  w.group({0, 1});
  w.transfer({Time{0}, Time{5}, {{{}, Time{6}}}});
  w.join(0, 0, 0, 0).join(1, 0, 0, 0);
  EXPECT_EQ(error_of(w),
            "engine: transfer 0 of group 0 (2 members) must have latency, span >= 0, 0 <= done <= span, and one entry or one a member; "
            "it has latency 0 ps, span 5 ps, 1 entries");
  TableWorkload port(1);
  port.group({0});
  port.table[0].capacity[2] = 0;
  port.transfer(alike(Time{0}, Time{5}, {0, 0, 1, 0}));
  port.join(0, 0, 0, 0);
  EXPECT_EQ(error_of(port), "engine: actor 0 loads port 2 whose capacity is 0 bytes/s");
}

}  // namespace
}  // namespace moesim
