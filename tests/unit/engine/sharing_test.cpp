// Transfers that share ports over time, against a fluid computed with brute-force rates; and what may not matter to any of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "unit/engine/fluid_reference.h"
#include "unit/engine/random_workload.h"
#include "unit/engine/script_workload.h"

namespace moesim {
namespace {

using namespace test;

/// Pairs and larger groups of a few actors, each group with one transfer on a stream of its own that starts when its segments are over.
struct Meetings {
  struct One {
    std::vector<std::uint32_t> members;
    Transfer what;
    Time start;
  };
  std::uint32_t actors = 0;
  std::vector<One> all;
  std::vector<std::array<std::int64_t, kPorts>> capacity;
};

Meetings random_meetings(std::uint64_t seed) {
  Dice dice(seed);
  Meetings out;
  out.actors = 2 + dice.below(3);
  for (std::uint32_t a = 0; a < out.actors; ++a) {
    out.capacity.emplace_back();
    for (auto& c : out.capacity.back()) c = 1'000'000'000LL * (1 + dice.below(20));
  }
  for (std::uint32_t n = 1 + dice.below(5); n > 0; --n) {
    Meetings::One one;
    for (std::uint32_t a = 0; a < out.actors; ++a)
      if (dice.below(3) > 0) one.members.push_back(a);
    if (one.members.empty()) one.members.push_back(dice.below(out.actors));
    one.what.latency = Time{dice.below(1000)};
    one.what.span = Time{1'000'000 + 1000LL * dice.below(3000)};
    for (std::size_t m = 0; m < one.members.size(); ++m) {
      Transfer::Member member;
      for (auto& b : member.bytes) b = dice.below(3) == 0 ? 0 : dice.below(40'000);
      member.done = dice.below(3) == 0 ? one.what.span : Time{1000LL * dice.below(static_cast<std::uint32_t>(one.what.span.count() / 1000) + 1)};
      one.what.members.push_back(member);
    }
    one.start = Time{1000LL * dice.below(3000)};
    out.all.push_back(one);
  }
  return out;
}

/// `number[a]`: what actor a is called.
std::vector<std::vector<Time>> engine_ends(const Meetings& in, const std::vector<std::uint32_t>& number) {
  TableWorkload w(in.actors);
  w.stream_count = in.all.size();
  for (std::uint32_t a = 0; a < in.actors; ++a) w.table[number[a]].capacity = in.capacity[a];
  for (std::size_t g = 0; g < in.all.size(); ++g) {
    std::vector<std::uint32_t> members;
    for (const std::uint32_t m : in.all[g].members) members.push_back(number[m]);
    w.group(members);
    const auto id = w.transfer(in.all[g].what);
    for (const std::uint32_t m : members) {
      w.kernel(m, static_cast<int>(g), Time{0}, in.all[g].start);
      w.join(m, static_cast<int>(g), static_cast<int>(w.table[m].groups.size() - 1), id);
    }
  }
  struct Ends : Observer {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> of;   // group, actor
    void on_transfer(const TransferSpan& t) override { of[{t.group.value(), t.actor.value()}] = t.end; }
  } ends;
  Observer* observers[] = {&ends};
  run(w, observers);
  std::vector<std::vector<Time>> out;
  for (std::uint32_t g = 0; g < in.all.size(); ++g) {
    out.emplace_back();
    for (const std::uint32_t m : in.all[g].members) out.back().push_back(ends.of.at({g, number[m]}));
  }
  return out;
}

std::vector<std::uint32_t> identity(std::uint32_t n) {
  std::vector<std::uint32_t> out(n);
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

/// The rate of each transfer that moves at present, as a share of its full speed, one after the other of `moving`.
std::vector<double> shares(const Meetings& in, const std::vector<std::size_t>& moving) {
  FluidProblem p;
  for (const auto& c : in.capacity)
    for (const std::int64_t v : c) p.capacity.push_back(static_cast<double>(v));
  std::vector<std::size_t> loading;
  std::vector<double> out(moving.size(), 1);
  for (std::size_t i = 0; i < moving.size(); ++i) {
    const Meetings::One& one = in.all[moving[i]];
    double heaviest = 0;
    std::vector<double> load(p.capacity.size(), 0);
    for (std::size_t m = 0; m < one.members.size(); ++m)
      for (std::size_t port = 0; port < kPorts; ++port) {
        load[one.members[m] * kPorts + port] = static_cast<double>(one.what.members[m].bytes[port]);
        heaviest = std::max(heaviest, load[one.members[m] * kPorts + port]);
      }
    if (heaviest == 0) continue;
    for (double& l : load) l /= heaviest;
    p.flows.push_back({heaviest / (static_cast<double>(one.what.span.count()) * 1e-12), load});
    loading.push_back(i);
  }
  if (p.flows.empty()) return out;
  const auto rate = brute_force_rates(p, 1e6);
  for (std::size_t f = 0; f < loading.size(); ++f) out[loading[f]] = rate[f] / p.flows[f].full;
  return out;
}

std::vector<std::vector<double>> fluid_ends(const Meetings& in) {
  const std::size_t n = in.all.size();
  std::vector<double> progress(n, 0);
  std::vector<std::vector<double>> ends(n);
  for (std::size_t i = 0; i < n; ++i) ends[i].resize(in.all[i].members.size(), -1);
  const auto begin = [&](std::size_t i) { return static_cast<double>((in.all[i].start + in.all[i].what.latency).count()); };
  const auto span = [&](std::size_t i) { return static_cast<double>(in.all[i].what.span.count()); };
  for (double now = 0;;) {
    std::vector<std::size_t> moving;
    double next = 1e300;
    for (std::size_t i = 0; i < n; ++i) {
      if (progress[i] >= span(i)) continue;
      if (begin(i) <= now) moving.push_back(i);
      else next = std::min(next, begin(i));
    }
    if (moving.empty() && next == 1e300) return ends;
    const auto speed = shares(in, moving);
    for (std::size_t k = 0; k < moving.size(); ++k) next = std::min(next, now + (span(moving[k]) - progress[moving[k]]) / speed[k]);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const std::size_t i = moving[k];
      const double reached = progress[i] + (next - now) * speed[k];
      for (std::size_t m = 0; m < ends[i].size(); ++m) {
        const auto done = static_cast<double>(in.all[i].what.members[m].done.count());
        if (ends[i][m] < 0 && done <= reached + 1e-3) ends[i][m] = now + std::max(0.0, done - progress[i]) / speed[k];
      }
      progress[i] = reached + 1e-3 >= span(i) ? span(i) : reached;
    }
    now = next;
  }
}

TEST(Sharing, FollowsTheFluidOfBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Meetings in = random_meetings(seed);
    const auto got = engine_ends(in, identity(in.actors));
    const auto want = fluid_ends(in);
    for (std::size_t g = 0; g < want.size(); ++g)
      for (std::size_t m = 0; m < want[g].size(); ++m)
        ASSERT_NEAR(static_cast<double>(got[g][m].count()), want[g][m], 0.02 * want[g][m] + 2) << "seed " << seed << ", group " << g << ", member " << m;
  }
}

TEST(Sharing, DoesNotDependOnHowActorsAreNumbered) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Meetings in = random_meetings(seed);
    std::vector<std::uint32_t> number = identity(in.actors);
    Dice dice(seed + 1'000'000);
    for (std::size_t k = number.size(); k > 1; --k) std::swap(number[k - 1], number[dice.below(static_cast<std::uint32_t>(k))]);
    ASSERT_EQ(engine_ends(in, number), engine_ends(in, identity(in.actors))) << "seed " << seed;   // to the picosecond
  }
}

TEST(Sharing, LoadsStayUntilTheSpanIsOverThoughEveryMemberIsDone) {
  // Two at one port of one byte a picosecond, 100 bytes in 100 ps each. The first's members are done at 10 of 100, at 20 with half speed,
  // but its bytes are on the way until 200: the second, which would move the rest alone from then on, ends at 200 as well.
  Meetings in{2, {}, {{1'000'000'000'000, 1'000'000'000'000, 1, 1}, {1'000'000'000'000, 1'000'000'000'000, 1, 1}}};
  const Transfer early{Time{0}, Time{100}, {{{100, 0, 0, 0}, Time{10}}, {{0, 100, 0, 0}, Time{10}}}};
  const Transfer late{Time{0}, Time{100}, {{{100, 0, 0, 0}, Time{100}}, {{0, 100, 0, 0}, Time{100}}}};
  in.all = {{{0, 1}, early, Time{0}}, {{0, 1}, late, Time{0}}};
  const auto ends = engine_ends(in, {0, 1});
  EXPECT_EQ(ends[0], (std::vector<Time>{Time{20}, Time{20}}));
  EXPECT_EQ(ends[1], (std::vector<Time>{Time{200}, Time{200}}));
}

TEST(Sharing, OnOnePortNoEndIsLaterWithoutAnotherTransferOrWithMoreCapacity) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Meetings in = random_meetings(seed);
    for (auto& one : in.all) {                     // everybody at one port of actor 0
      one.members = {0};
      one.what.members.resize(1);
      one.what.members[0].bytes = {1 + one.what.members[0].bytes[0], 0, 0, 0};
    }
    const auto before = engine_ends(in, identity(in.actors));
    Meetings wider = in;
    wider.capacity[0][0] += 777'777'777;
    const auto more = engine_ends(wider, identity(in.actors));
    Meetings fewer = in;
    fewer.all.pop_back();
    const auto rest = fewer.all.empty() ? std::vector<std::vector<Time>>{} : engine_ends(fewer, identity(in.actors));
    for (std::size_t g = 0; g < before.size(); ++g) {
      ASSERT_LE(more[g][0], before[g][0] + Time{1}) << "seed " << seed;
    }
    for (std::size_t g = 0; g < rest.size(); ++g) ASSERT_LE(rest[g][0], before[g][0] + Time{1}) << "seed " << seed;   // ends are whole picoseconds
  }
}

TEST(SharedPort, ATransferThatStartsLaterMayEndTheRunSooner) {
  // One byte a picosecond, two transfers of 10,000 bytes; after one of them a kernel of 20,000 ps. Together they take until 30,000 and the
  // run until 50,000. If the other comes only when the first is over, the run ends at 40,000, as without sharing.
  const auto end = [](std::int64_t other_starts, bool share_ports) {
    ScriptWorkload w;
    w.all.resize(1);
    w.add_group(0, {0});
    w.add_group(1, {0});
    const std::uint32_t moves = w.add_transfer(uniform(10'000, 10'000));
    w.all[0].steps = {seg(1, w.add_segment(device(other_starts))), xfer(1, 1, moves), seg(0, w.add_segment(device(10'000))), xfer(0, 0, moves),
                      seg(0, w.add_segment(device(20'000)))};
    EngineOptions options;
    options.share_ports = share_ports;
    return run(w, {}, options).end;
  };
  EXPECT_EQ(end(10'000, true), Time{50'000});
  EXPECT_EQ(end(20'000, true), Time{40'000});
  EXPECT_EQ(end(10'000, false), Time{40'000});
  EXPECT_EQ(end(20'000, false), Time{40'000});
}

}  // namespace
}  // namespace moesim
