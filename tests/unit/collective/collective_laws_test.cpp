// What holds for every collective on every placement of every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "collective/collective.h"
#include "support/ports.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;

const std::vector<CollectiveOp> kOps{CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all};

std::vector<HwProfile> formula_machines() {
  return {test::alps(), test::dgx_h100(), test::efa_h100(), test::h800(), test::gb200_nvl72(), test::dgx_a100()};
}

/// And shipped ones with curves of measured times.
std::vector<HwProfile> machines() {
  std::vector<HwProfile> out = formula_machines();
  for (const char* name : {"dgx-h100", "dgx-b200", "aws-p5-h100", "alps-gh200"}) out.push_back(load_hw_profile(name, MOESIM_SOURCE_DIR));
  return out;
}

/// Subsets of the first ranks of a machine, of every size, in random order: mt19937 gives the same numbers everywhere.
std::vector<std::vector<Rank>> random_groups(std::uint32_t seed, std::size_t count) {
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::vector<std::vector<Rank>> out;
  while (out.size() < count) {
    const std::uint32_t world = 2 + random() % 200;
    const std::uint32_t keep = 2 + random() % 60;
    std::vector<Rank> members;
    for (std::uint32_t r = 0; r < world; ++r)
      if (random() % world < keep) members.push_back(Rank(r));
    for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random() % i]);
    if (members.size() > 1) out.push_back(std::move(members));
  }
  return out;
}

Time total(CollectiveOp op, std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  const Transfer t = collective(op, Bytes{bytes}, p, hw).transfer;
  return t.latency + t.span;
}

/// Whole domains too: those that curves are for.
std::vector<std::vector<Rank>> groups(std::uint32_t seed, std::size_t count) {
  std::vector<std::vector<Rank>> out = random_groups(seed, count);
  for (const std::uint32_t n : {2, 3, 4, 8, 16, 40, 64}) out.push_back(ranks(n));
  return out;
}

constexpr std::int64_t kSizes[] = {1, 2, 100, 600, 4096, 20'000, 100'000, 300'000, 1 << 20, 3'000'000, 5'000'000, 7'000'000, 12'000'000, 1 << 25, 1 << 26, 1 << 30, std::int64_t{1} << 40};

TEST(CollectiveLaws, MoreBytesAreNeverFaster) {
  for (const HwProfile& hw : machines())
    for (const auto& members : groups(1, 12))
      for (const CollectiveOp op : kOps) {
        Time before{0};
        for (const std::int64_t bytes : kSizes) {
          const Time now = total(op, bytes, place(members, hw), hw);
          EXPECT_GE(now, before) << hw.name << " " << name(op) << " " << bytes << " B, " << members.size() << " ranks";
          before = now;
        }
      }
}

TEST(CollectiveLaws, MoreBandwidthIsNeverSlower) {
  for (const HwProfile& hw : machines()) {
    HwProfile nic = hw, up = hw;
    nic.scale_out.per_gpu.value = nic.scale_out.per_gpu.value * 2.0;
    up.scale_up.per_gpu.value = up.scale_up.per_gpu.value * 2.0;
    up.scale_up.per_pair.value = up.scale_up.per_pair.value * 2.0;
    for (const auto& members : groups(2, 12))
      for (const CollectiveOp op : kOps)
        for (const std::int64_t bytes : kSizes) {
          const Placement p = place(members, hw);
          EXPECT_LE(total(op, bytes, p, nic), total(op, bytes, p, hw)) << hw.name << " " << name(op) << " " << bytes;
          EXPECT_LE(total(op, bytes, p, up), total(op, bytes, p, hw)) << hw.name << " " << name(op) << " " << bytes;
        }
  }
}

TEST(CollectiveLaws, ALoneTransferNeverPassesAPort) {
  for (const HwProfile& hw : machines())
    for (const auto& members : groups(3, 20))
      for (const CollectiveOp op : kOps)
        for (const std::int64_t bytes : kSizes) {
          const Transfer t = collective(op, Bytes{bytes}, place(members, hw), hw).transfer;
          EXPECT_TRUE(test::passes_its_ports(t, hw)) << hw.name << " " << name(op) << " " << bytes;
        }
}

TEST(CollectiveLaws, WhatIsSentIsReceivedToOneByteAMember) {
  for (const HwProfile& hw : machines())
    for (const auto& members : random_groups(4, 30))
      for (const CollectiveOp op : kOps) {
        const Transfer t = collective(op, Bytes{1'000'003}, place(members, hw), hw).transfer;
        std::int64_t up = 0, out = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
          up += t.member(i).bytes[0] - t.member(i).bytes[1];
          out += t.member(i).bytes[2] - t.member(i).bytes[3];
        }
        const auto slack = 2 * static_cast<std::int64_t>(members.size());
        EXPECT_LE(std::abs(up), slack) << hw.name << " " << name(op);
        EXPECT_LE(std::abs(out), slack) << hw.name << " " << name(op);
      }
}

TEST(CollectiveLaws, EveryMemberEndsWithinTheSpanAndOneAtItsEnd) {
  for (const HwProfile& hw : machines())
    for (const auto& members : random_groups(5, 12))
      for (const CollectiveOp op : kOps) {
        const Transfer t = collective(op, Bytes{123'456'789}, place(members, hw), hw).transfer;
        Time last{0};
        for (const Transfer::Member& m : t.members) {
          EXPECT_LE(m.done, t.span);
          last = std::max(last, m.done);
        }
        EXPECT_EQ(last, t.span);
        EXPECT_TRUE(t.members.size() == 1 || t.members.size() == members.size());
      }
}

TEST(CollectiveLaws, MembersAreAlikeWherePlacesAre) {
  // Two members whose domains hold equally many members carry the same: what a folded simulation relies on.
  for (const HwProfile& hw : machines())
    for (const auto& members : random_groups(6, 20)) {
      const Placement p = place(members, hw);
      for (const CollectiveOp op : kOps) {
        const Transfer t = collective(op, Bytes{7'654'321}, p, hw).transfer;
        for (std::size_t a = 0; a < members.size(); ++a)
          for (std::size_t b = a + 1; b < members.size(); ++b)
            if (p.members_beside(a) == p.members_beside(b)) {
              EXPECT_EQ(t.member(a), t.member(b)) << hw.name << " " << name(op);
            }
      }
    }
}

TEST(CollectiveLaws, SymmetricGroupsHaveOneMemberForAll) {
  for (const HwProfile& hw : machines())
    for (const auto& members : {ranks(2), ranks(4), ranks(72 * 2), ranks(6, 0, 72), ranks(12, 0, 24)})
      for (const CollectiveOp op : kOps)
        EXPECT_EQ(collective(op, Bytes{999}, place(members, hw), hw).transfer.members.size(), 1u) << hw.name << " " << name(op);
}

TEST(CollectiveLaws, ScatterAndGatherCostARingAllReduceAndASecondStart) {
  // A ring reduces by scattering and gathering. In-switch reduction and trees are faster, so an all_reduce is never slower than both.
  for (const HwProfile& hw : formula_machines())
    for (const auto& members : random_groups(8, 20))
      for (const std::int64_t bytes : kSizes) {
        const Placement p = place(members, hw);
        const CollectiveCost reduce = collective(CollectiveOp::all_reduce, Bytes{bytes}, p, hw);
        const Time one = reduce.transfer.latency + reduce.transfer.span;
        const Time both = total(CollectiveOp::reduce_scatter, bytes, p, hw) + total(CollectiveOp::all_gather, bytes, p, hw);
        const Time start = p.domains > 1 ? hw.scale_out.base_latency.value : hw.scale_up.base_latency.value;
        const Time rounding = 4 * kPicosecond;
        EXPECT_LE(one, both + rounding) << hw.name << " " << bytes << " of " << members.size();
        if (reduce.algorithm.ends_with("ring") && p.symmetric()) {   // else other domains bound scatter and gather
          EXPECT_LE(seconds(both), seconds(one + rounding) + 14.0 / 6.6 * seconds(start)) << hw.name << " " << bytes << " of " << members.size();
        }
      }
}

}  // namespace
}  // namespace moesim
