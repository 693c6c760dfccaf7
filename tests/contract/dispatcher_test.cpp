// What every registered dispatcher promises, on machines with and without a switch, over even and uneven loads.
#include "collective/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/ports.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;

struct Case {
  HwProfile hw;
  Placement placement;
  ExchangeShape shape;
  std::vector<RankLoad> loads;
};

/// tokens * top_k copies a source, dealt out evenly or at random; mt19937 gives the same numbers everywhere.
std::vector<RankLoad> loads(std::size_t ep, std::int64_t copies, bool is_even, std::mt19937& random) {
  std::vector<RankLoad> out(ep);
  for (RankLoad& r : out) r.tokens = r.received = is_even ? copies : static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(2 * copies + 1));
  return out;
}

HwProfile shipped(const char* name) { return load_hw_profile(name, MOESIM_SOURCE_DIR); }

std::vector<Case> cases() {
  std::mt19937 random(7);
  std::vector<Case> out;
  // Machines without and with timed kernels.
  for (const HwProfile& hw : {test::alps(), test::dgx_h100(), test::h800(), test::gb200_nvl72(), shipped("dgx-h100"), shipped("gb200-nvl72"), shipped("alps-gh200")})
    for (const std::uint32_t ep : {1u, 2u, 4u, 8u, 16u, 64u})
      for (const auto& members : {ranks(ep), ranks(ep, 3), ranks(ep, 0, 2), ranks(ep, 1, 8)})
        for (const bool is_even : {true, false}) {
          const ExchangeShape shape{1 + static_cast<std::int64_t>(random() % 5000), 2048, DType::bf16, 128, 8, random() % 2 ? 4 : 0, 8};
          out.push_back({hw, place(members, hw), shape, loads(ep, shape.tokens_per_rank * shape.top_k, is_even, random)});
        }
  return out;
}

class DispatcherContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Dispatcher> d_ = dispatchers().make(GetParam());
  Transfer there(const Case& c) const { return d_->dispatch(c.shape, c.loads, c.placement, c.hw); }
  Transfer back(const Case& c) const { return d_->combine(c.shape, c.loads, c.placement, c.hw); }
};

Time total(const Transfer& t) { return t.latency + t.span; }

TEST_P(DispatcherContract, WhatIsSentIsReceived) {
  for (const Case& c : cases())
    for (const Transfer& t : {there(c), back(c)}) {
      std::int64_t up = 0, out = 0;
      for (std::size_t i = 0; i < c.loads.size(); ++i) {
        up += t.member(i).bytes[0] - t.member(i).bytes[1];
        out += t.member(i).bytes[2] - t.member(i).bytes[3];
      }
      // Collectives and forwarding round up to a byte a member; unequal domains may round differently on both sides.
      const auto slack = c.placement.symmetric() ? 0 : 2 * c.placement.ranks;
      EXPECT_LE(std::abs(up), slack) << c.hw.name;
      EXPECT_LE(std::abs(out), slack) << c.hw.name;
    }
}

TEST_P(DispatcherContract, APreparedExchangeDoesNotRememberWhatWasAskedBefore) {
  for (const Case& c : cases())
    for (const ExchangeWay way : {ExchangeWay::dispatch, ExchangeWay::combine}) {
      const auto prepared = d_->prepare(way, c.shape, c.placement, c.hw);
      std::vector<RankLoad> loads = c.loads;
      for (int round = 0; round < 4; ++round) {
        const Transfer fresh = d_->prepare(way, c.shape, c.placement, c.hw)->at(loads);
        const Transfer& again = prepared->at(loads);
        EXPECT_EQ(again.latency, fresh.latency);
        EXPECT_EQ(again.span, fresh.span);
        EXPECT_EQ(again.members, fresh.members);
        std::rotate(loads.begin(), loads.begin() + 1, loads.end());
        if (round == 1) loads.assign(loads.size(), loads.front());   // equal loads may need one member only
        if (round == 2) loads.front().received += 2048;              // far from all that were asked for
      }
    }
}

TEST_P(DispatcherContract, MembersEndWithinTheSpanAndTheLastAtItsEnd) {
  for (const Case& c : cases())
    for (const Transfer& t : {there(c), back(c)}) {
      ASSERT_TRUE(t.members.size() == 1 || t.members.size() == c.loads.size());
      Time last{0};
      for (const Transfer::Member& m : t.members) {
        EXPECT_GE(m.done, Time{0});
        last = std::max(last, m.done);
      }
      EXPECT_EQ(last, t.span);
    }
}

TEST_P(DispatcherContract, EqualLoadsOnEqualPlacesAreOneMember) {
  for (const Case& c : cases()) {
    const bool equal = std::all_of(c.loads.begin(), c.loads.end(), [&](const RankLoad& r) { return r.received == c.loads[0].received; });
    if (!equal || !c.placement.symmetric()) continue;
    EXPECT_EQ(there(c).members.size(), 1u);
    EXPECT_EQ(back(c).members.size(), 1u);
  }
}

TEST_P(DispatcherContract, EqualLoadsInDomainsOfEqualSizeAreAlike) {
  // What a folded simulation relies on where a group straddles nodes unequally.
  for (const Case& c : cases()) {
    const Transfer t = there(c);
    for (std::size_t a = 0; a < c.loads.size(); ++a)
      for (std::size_t b = a + 1; b < c.loads.size(); ++b) {
        const bool own_alike = c.loads[a].received == c.loads[b].received && c.placement.members_beside(a) == c.placement.members_beside(b);
        const bool all_equal = std::all_of(c.loads.begin(), c.loads.end(), [&](const RankLoad& r) { return r.received == c.loads[0].received; });
        if (own_alike && all_equal) {
          EXPECT_EQ(t.member(a), t.member(b));
        }
      }
  }
}

TEST_P(DispatcherContract, ALoneExchangeNeverPassesAPort) {
  for (const Case& c : cases())
    for (const Transfer& t : {there(c), back(c)})
      EXPECT_TRUE(test::passes_its_ports(t, c.hw));
}

TEST_P(DispatcherContract, AGroupOfOneMovesNothing) {
  for (const Case& c : cases()) {
    if (c.placement.ranks > 1) continue;
    EXPECT_EQ(total(there(c)), Time{0});
    EXPECT_EQ(total(back(c)), Time{0});
    EXPECT_EQ(there(c).members, std::vector<Transfer::Member>(1));
  }
}

TEST_P(DispatcherContract, MoreTokensAreNeverFaster) {
  for (const Case& c : cases()) {
    Case more = c;
    more.shape.tokens_per_rank *= 2;
    for (RankLoad& r : more.loads) r.received *= 2;
    EXPECT_GE(total(there(more)), total(there(c)));
    EXPECT_GE(total(back(more)), total(back(c)));
  }
}

TEST_P(DispatcherContract, MoreBandwidthIsNeverSlower) {
  for (const Case& c : cases()) {
    Case faster = c;
    faster.hw.scale_out.per_gpu.value = c.hw.scale_out.per_gpu.value * 2.0;
    EXPECT_LE(total(there(faster)), total(there(c)));
    faster.hw.scale_up.per_gpu.value = c.hw.scale_up.per_gpu.value * 2.0;
    faster.hw.scale_up.per_pair.value = c.hw.scale_up.per_pair.value * 2.0;
    EXPECT_LE(total(back(faster)), total(back(c)));
  }
}

TEST_P(DispatcherContract, NarrowerTokensAreNeverSlower) {
  for (const Case& c : cases()) {
    Case narrow = c;
    narrow.shape.dtype = DType::fp8;
    EXPECT_LE(total(there(narrow)), total(there(c)));
  }
}

TEST_P(DispatcherContract, CombineCarriesDispatchBackwards) {
  // allgather's dispatch carries the routing map too, so only a bound holds for every entry.
  for (const Case& c : cases()) {
    const Transfer a = there(c), b = back(c);
    for (std::size_t i = 0; i < c.loads.size(); ++i) {
      EXPECT_LE(b.member(i).bytes[0], a.member(i).bytes[1]);
      EXPECT_LE(b.member(i).bytes[3], a.member(i).bytes[2]);
    }
  }
}

TEST_P(DispatcherContract, AHotRankNeverMakesTheExchangeFaster) {
  for (const Case& c : cases()) {
    Case hot = c;
    hot.loads.back().received += c.shape.tokens_per_rank;
    EXPECT_GE(total(there(hot)), total(there(c)));
    EXPECT_GE(total(back(hot)), total(back(c)));
  }
}

TEST_P(DispatcherContract, LoadsMayBeEmpty) {
  for (Case c : cases()) {
    for (RankLoad& r : c.loads) r = {};
    EXPECT_GE(total(there(c)), Time{0});
    EXPECT_LE(there(c).span, kMillisecond * 200);
  }
}

TEST_P(DispatcherContract, HoldsSomeButNotAllSms) {
  for (const HwProfile& hw : {test::alps(), test::dgx_h100(), test::gb200_nvl72()}) {
    EXPECT_GT(d_->sms(hw), 0);
    EXPECT_LT(d_->sms(hw), 64);
    const auto fewer = d_->with_sms(6);
    EXPECT_EQ(fewer ? fewer->sms(hw) : 6, 6);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DispatcherContract, ::testing::ValuesIn(dispatchers().names()));

}  // namespace
}  // namespace moesim
