#include "collective/held.h"

#include <gtest/gtest.h>

#include <numeric>

namespace moesim {
namespace {

const HwProfile& h100() {
  static const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  return hw;
}
const Stack& stack() {
  static const Stack s = load_stack("megatron-core-2026.04", MOESIM_SOURCE_DIR);
  return s;
}
Placement every(std::uint32_t step, std::uint32_t n) {
  std::vector<Rank> ranks;
  for (std::uint32_t r = 0; r < n; ++r) ranks.push_back(Rank(r * step));
  return place(ranks, h100());
}

TEST(Held, AGroupBehindOneSwitchRunsAllChannels) { EXPECT_EQ(collective_sms(CollectiveOp::all_gather, every(1, 8), stack()), 24); }

TEST(Held, AGroupOverNodesRunsTheChannelsOfItsNics) {
  EXPECT_EQ(collective_sms(CollectiveOp::reduce_scatter, every(8, 16), stack()), 4);    // one GPU a node
  EXPECT_EQ(collective_sms(CollectiveOp::reduce_scatter, every(2, 64), stack()), 8);    // four
  EXPECT_EQ(collective_sms(CollectiveOp::reduce_scatter, every(1, 64), stack()), 16);   // eight
  EXPECT_EQ(collective_sms(CollectiveOp::send_recv, every(8, 2), stack()), 2);
}

TEST(Held, CopyEnginesHoldNone) {
  Stack s = stack();
  s.collective_sms.value = 0;
  EXPECT_EQ(collective_sms(CollectiveOp::all_gather, every(1, 8), s), 0);
  EXPECT_EQ(collective_sms(CollectiveOp::all_gather, every(8, 8), s), 0);
}

TEST(Held, AByteThatPassesIsReadAndWrittenAndASummandIsReadAsWell) {
  // 335 GB/s through the ports is a tenth of the 3.35 TB/s of memory.
  Transfer t;
  t.span = kSecond;
  t.members = {{{335'000'000'000, 0, 0, 0}, kSecond}};
  EXPECT_EQ(memory_taken(t, memory_touches(CollectiveOp::all_gather), h100()), 200);
  EXPECT_EQ(memory_taken(t, memory_touches(CollectiveOp::reduce_scatter), h100()), 300);
  EXPECT_EQ(memory_taken(t, memory_touches(CollectiveOp::send_recv), h100()), 100);
  t.span = Time{0};
  EXPECT_EQ(memory_taken(t, 2, h100()), 0);
}

}  // namespace
}  // namespace moesim
