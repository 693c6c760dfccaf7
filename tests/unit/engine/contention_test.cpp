// Who gets how much of shared ports: the solver against brute force and against the definition, and what sharing implies.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/kernel/contention.h"
#include "engine/kernel/filling.h"
#include "unit/engine/fluid_reference.h"
#include "unit/engine/random_workload.h"
#include "unit/engine/table_workload.h"

namespace moesim {
namespace {

using namespace test;

/// A small problem in integers: bytes over ports of some bytes per second, spans in picoseconds.
struct Instance {
  struct Transfer {
    Time span;
    std::vector<std::int64_t> bytes;   // by port
    std::int64_t heaviest() const { return *std::max_element(bytes.begin(), bytes.end()); }
  };
  std::vector<Transfer> transfers;
  std::vector<std::int64_t> capacity;
};

Instance random_instance(Dice& dice, std::uint32_t most_ports) {
  Instance out;
  const std::uint32_t ports = 1 + dice.below(most_ports);
  for (std::uint32_t p = 0; p < ports; ++p) out.capacity.push_back(1'000'000'000LL * (1 + dice.below(20)));
  for (std::uint32_t n = 1 + dice.below(5); n > 0; --n) {
    Instance::Transfer t{Time{1'000'000 + 1000LL * dice.below(3000)}, {}};
    for (std::uint32_t p = 0; p < ports; ++p) t.bytes.push_back(dice.below(3) == 0 ? 0 : 1 + dice.below(40'000));
    if (t.heaviest() == 0) t.bytes[0] = 1 + dice.below(40'000);
    out.transfers.push_back(t);
  }
  return out;
}

std::vector<kernel::Speed> solved(const Instance& in) {
  kernel::Filling filling;
  for (const auto& t : in.transfers) filling.add_transfer(t.heaviest(), t.span);
  for (std::size_t p = 0; p < in.capacity.size(); ++p) {
    filling.add_port(in.capacity[p]);
    for (std::uint32_t t = 0; t < in.transfers.size(); ++t)
      if (in.transfers[t].bytes[p] > 0) filling.add_load(t, in.transfers[t].bytes[p]);
  }
  filling.solve();
  std::vector<kernel::Speed> out;
  for (std::uint32_t t = 0; t < in.transfers.size(); ++t) out.push_back(filling.speed(t));
  return out;
}

double share(kernel::Speed s) { return static_cast<double>(s) / static_cast<double>(kernel::kFullSpeed); }
double full_rate(const Instance::Transfer& t) { return static_cast<double>(t.heaviest()) / (static_cast<double>(t.span.count()) * 1e-12); }

FluidProblem problem(const Instance& in) {
  FluidProblem out;
  for (const auto& t : in.transfers) {
    out.flows.push_back({full_rate(t), {}});
    for (const std::int64_t b : t.bytes) out.flows.back().weight.push_back(static_cast<double>(b) / static_cast<double>(t.heaviest()));
  }
  for (const std::int64_t c : in.capacity) out.capacity.push_back(static_cast<double>(c));
  return out;
}

std::vector<double> rates(const Instance& in) {
  std::vector<double> out;
  const auto speeds = solved(in);
  for (std::size_t t = 0; t < speeds.size(); ++t) out.push_back(share(speeds[t]) * full_rate(in.transfers[t]));
  return out;
}

/// A transfer over some links.
Transfer over_links(Dice& dice, std::uint32_t links, bool plain) {
  Transfer t{{}, Time{1'000'000 + 1000LL * dice.below(3000)}, {{}}};
  const std::int64_t bytes = 1 + dice.below(40'000);
  for (std::uint32_t l = 0; l < links; ++l)
    if (dice.below(3) == 0) t.links.push_back({LinkId{l}, plain ? bytes : 1 + dice.below(40'000)});
  return t;
}

TEST(Contention, SettlingOnlyWhatMayHaveChangedFindsTheSpeedsOfSolvingAllAgain) {
  const std::vector<ActorId> nobody{ActorId{0}};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    TableWorkload w;
    for (std::uint32_t l = 2 + dice.below(12); l > 0; --l) w.link_capacities.push_back(1'000'000'000LL * (1 + dice.below(20)));
    std::vector<Transfer> transfers(30);
    std::vector<bool> active(transfers.size(), false);
    std::vector<kernel::Speed> speed(transfers.size(), kernel::kFullSpeed);
    kernel::Contention kept(w);
    for (int event = 0; event < 200; ++event) {
      for (std::uint32_t changes = 1 + dice.below(2); changes > 0; --changes) {   // at one instant
        const std::uint32_t i = dice.below(static_cast<std::uint32_t>(transfers.size()));
        if (active[i]) {
          kept.end(i);
        } else {
          transfers[i] = over_links(dice, static_cast<std::uint32_t>(w.link_capacities.size()), seed % 2 == 0);
          speed[i] = kernel::kFullSpeed;
          kept.begin(i, nobody, transfers[i]);
        }
        active[i] = !active[i];
      }
      for (const auto& c : kept.solve()) speed[c.flight] = c.speed;
      kernel::Contention fresh(w);
      std::vector<kernel::Speed> expected(transfers.size(), kernel::kFullSpeed);
      for (std::uint32_t i = 0; i < transfers.size(); ++i)
        if (active[i]) fresh.begin(i, nobody, transfers[i]);
      for (const auto& c : fresh.solve()) expected[c.flight] = c.speed;
      for (std::uint32_t i = 0; i < transfers.size(); ++i)
        if (active[i]) {
          ASSERT_EQ(speed[i], expected[i]) << "seed " << seed << ", event " << event << ", transfer " << i;
        }
    }
  }
}

TEST(Contention, IsMaxMinFairByTheDefinition) {
  Dice dice(1);
  for (int i = 0; i < 5000; ++i) {
    const Instance in = random_instance(dice, 6);
    ASSERT_TRUE(is_max_min_fair(problem(in), rates(in), 1e-9)) << "instance " << i;
  }
}

TEST(Contention, GivesTheRatesOfBruteForce) {
  Dice dice(2);
  const double hair = 1e6;   // of rates of billions
  for (int i = 0; i < 300; ++i) {
    const Instance in = random_instance(dice, 4);
    const auto fast = rates(in), slow = brute_force_rates(problem(in), hair);
    for (std::size_t t = 0; t < fast.size(); ++t) ASSERT_NEAR(fast[t], slow[t], 100 * hair) << "instance " << i << ", transfer " << t;
  }
}

TEST(Contention, DoesNotDependOnTheOrderOfTransfersAndPorts) {
  Dice dice(3);
  for (int i = 0; i < 1000; ++i) {
    const Instance in = random_instance(dice, 6);
    const auto want = solved(in);
    std::vector<std::size_t> order(in.transfers.size()), ports(in.capacity.size());
    std::iota(order.begin(), order.end(), 0u);
    std::iota(ports.begin(), ports.end(), 0u);
    for (auto* v : {&order, &ports})
      for (std::size_t k = v->size(); k > 1; --k) std::swap((*v)[k - 1], (*v)[dice.below(static_cast<std::uint32_t>(k))]);
    Instance mixed;
    for (const std::size_t p : ports) mixed.capacity.push_back(in.capacity[p]);
    for (const std::size_t t : order) {
      mixed.transfers.push_back({in.transfers[t].span, {}});
      for (const std::size_t p : ports) mixed.transfers.back().bytes.push_back(in.transfers[t].bytes[p]);
    }
    const auto got = solved(mixed);
    for (std::size_t k = 0; k < order.size(); ++k) ASSERT_EQ(got[k], want[order[k]]) << "instance " << i;   // to the last bit
  }
}

TEST(Contention, OnOnePortNobodyIsSlowedByATransferThatIsTakenAwayOrByMoreCapacity) {
  Dice dice(4);
  for (int i = 0; i < 2000; ++i) {
    const Instance in = random_instance(dice, 1);
    const auto before = solved(in);
    Instance wider = in;
    wider.capacity[0] += 1 + dice.below(1'000'000'000);
    const auto more = solved(wider);
    for (std::size_t t = 0; t < before.size(); ++t) ASSERT_GE(more[t], before[t]) << "instance " << i;
    Instance fewer = in;
    fewer.transfers.pop_back();
    if (fewer.transfers.empty()) continue;
    const auto rest = solved(fewer);
    for (std::size_t t = 0; t < rest.size(); ++t) ASSERT_GE(rest[t] + 2, before[t]) << "instance " << i;   // each speed is rounded up by less than one
  }
}

TEST(Contention, OnManyPortsTheSlowestRateNeverFallsWhenATransferIsTakenAwayOrCapacityIsAdded) {
  // Others may be slowed: who goes faster on one port takes more of the next. The least rate cannot be: what was feasible still is.
  Dice dice(5);
  const auto least = [](const std::vector<double>& r, std::size_t n) { return *std::min_element(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n)); };
  int slowed = 0;
  for (int i = 0; i < 3000; ++i) {
    const Instance in = random_instance(dice, 6);
    const auto before = rates(in);
    Instance wider = in;
    wider.capacity[dice.below(static_cast<std::uint32_t>(in.capacity.size()))] *= 2;
    ASSERT_GE(least(rates(wider), before.size()), least(before, before.size()) * (1 - 1e-9)) << "instance " << i;
    Instance fewer = in;
    fewer.transfers.pop_back();
    if (fewer.transfers.empty()) continue;
    const auto rest = rates(fewer);
    ASSERT_GE(least(rest, rest.size()), least(before, rest.size()) * (1 - 1e-9)) << "instance " << i;
    for (std::size_t t = 0; t < rest.size(); ++t) slowed += rest[t] < before[t] * (1 - 1e-6);
  }
  EXPECT_GT(slowed, 0);   // the general law does not hold, so nobody should write it down
}

TEST(Contention, AHeavyPortIsNeverOverItsCapacityByMoreThanAByteASecond) {
  Dice dice(6);
  for (int i = 0; i < 3000; ++i) {
    const Instance in = random_instance(dice, 6);
    const auto speeds = solved(in);
    for (std::size_t p = 0; p < in.capacity.size(); ++p) {
      long double sum = 0;
      for (std::size_t t = 0; t < speeds.size(); ++t)
        sum += static_cast<long double>(in.transfers[t].bytes[p]) * 1e12L / static_cast<long double>(in.transfers[t].span.count()) *
               (static_cast<long double>(speeds[t]) / static_cast<long double>(kernel::kFullSpeed));
      ASSERT_LT(sum, static_cast<long double>(in.capacity[p]) + 1.0L) << "instance " << i << ", port " << p;
    }
  }
}

}  // namespace
}  // namespace moesim
