#include "parallel/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "parallel/layout.h"

namespace moesim {
namespace {

using Classes = std::vector<std::uint32_t>;

/// Ranks r = 0 ... n-1 with place r / size.
std::vector<std::uint32_t> blocks(std::size_t n, std::size_t size) {
  std::vector<std::uint32_t> out(n);
  for (std::size_t r = 0; r < n; ++r) out[r] = static_cast<std::uint32_t>(r / size);
  return out;
}

std::vector<std::uint32_t> groups_of(const ParallelLayout& layout, GroupKind kind) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t r = 0; r < layout.sizes().gpus; ++r)
    out.push_back(layout.in_group(kind, Rank{r}) ? static_cast<std::uint32_t>(layout.group_of(kind, Rank{r})) : kNoGroup);
  return out;
}

/// The level of the nearest place that two ranks share.
std::size_t distance(const PartitionInput& in, std::size_t a, std::size_t b) {
  std::size_t level = 0;
  while (level < in.place_of.size() && in.place_of[level][a] != in.place_of[level][b]) ++level;
  return level;
}

/// What the header promises of a class, by counting: for each kind of group, members of each class at each distance.
std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, int> sees(const PartitionInput& in, const Classes& classes, std::size_t r) {
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, int> out;
  for (std::size_t kind = 0; kind < in.group_of.size(); ++kind) {
    if (in.group_of[kind][r] == kNoGroup) continue;
    for (std::size_t m = 0; m < in.ranks; ++m)
      if (in.group_of[kind][m] == in.group_of[kind][r]) ++out[{kind, distance(in, r, m), classes[m]}];
  }
  return out;
}

bool equitable(const PartitionInput& in, const Classes& classes) {
  for (std::size_t a = 0; a < in.ranks; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (classes[a] == classes[b] && (in.colour[a] != in.colour[b] || sees(in, classes, a) != sees(in, classes, b))) return false;
  return true;
}

bool refines(const Classes& fine, const Classes& coarse) {
  for (std::size_t a = 0; a < fine.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (fine[a] == fine[b] && coarse[a] != coarse[b]) return false;
  return true;
}

/// Calls visit(classes) for every partition of n elements, by restricted growth strings.
template <class Visit>
void all_partitions(std::size_t n, Classes& prefix, std::uint32_t used, const Visit& visit) {
  if (prefix.size() == n) return visit(prefix);
  for (std::uint32_t c = 0; c <= used; ++c) {
    prefix.push_back(c);
    all_partitions(n, prefix, std::max(used, c + 1), visit);
    prefix.pop_back();
  }
}

PartitionInput random_world(std::mt19937_64& random, std::size_t n, std::size_t colours, std::size_t kinds, std::size_t levels) {
  PartitionInput in{.ranks = n, .colour = {}, .group_of = {}, .place_of = {}};
  for (std::size_t r = 0; r < n; ++r) in.colour.push_back(random() % colours * 1000);
  for (std::size_t k = 0; k < kinds; ++k) {
    auto& groups = in.group_of.emplace_back();
    for (std::size_t r = 0; r < n; ++r) groups.push_back(random() % 8 ? static_cast<std::uint32_t>(random() % (n / 2)) : kNoGroup);
  }
  for (std::size_t l = 0; l < levels; ++l) {   // coarser blocks of a shuffled order stay nested
    in.place_of.push_back(blocks(n, l == 0 ? 2 : 4));
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (auto& places : in.place_of) {
    const auto sorted = places;
    for (std::size_t r = 0; r < n; ++r) places[r] = sorted[order[r]];
  }
  return in;
}

TEST(Partition, IsEquitableAndEveryEquitablePartitionRefinesIt) {
  std::mt19937_64 random(3);
  int split = 0, merged = 0;
  for (int i = 0; i < 60; ++i) {
    const PartitionInput in = random_world(random, 4 + random() % 3, 1 + random() % 2, 1 + random() % 2, random() % 3);
    const Partition p = coarsest_equitable_partition(in);
    ASSERT_TRUE(equitable(in, p.class_of)) << i;
    Classes prefix;
    all_partitions(in.ranks, prefix, 0, [&](const Classes& other) {
      if (equitable(in, other)) { ASSERT_TRUE(refines(other, p.class_of)) << i; }
    });
    split += p.size.size() > 2;
    merged += p.size.size() < in.ranks;
  }
  EXPECT_GT(split, 10);
  EXPECT_GT(merged, 10);
}

/// Splits classes by what their ranks see until nothing splits; numbers classes by their first rank.
Classes naive_refinement(const PartitionInput& in) {
  Classes classes(in.ranks);
  std::map<std::uint64_t, std::uint32_t> ids;
  for (std::size_t r = 0; r < in.ranks; ++r) classes[r] = ids.try_emplace(in.colour[r], ids.size()).first->second;
  for (std::size_t before = 0, now = ids.size(); now != before;) {
    std::map<std::pair<std::uint32_t, std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, int>>, std::uint32_t> next;
    Classes refined(in.ranks);
    for (std::size_t r = 0; r < in.ranks; ++r) refined[r] = next.try_emplace({classes[r], sees(in, classes, r)}, next.size()).first->second;
    classes = refined;
    before = now;
    now = next.size();
  }
  return classes;
}

TEST(Partition, EqualsNaiveRefinementByCountingOnRandomWorlds) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    const PartitionInput in = random_world(random, 8 + random() % 25, 1 + random() % 2, 1 + random() % 3, random() % 3);
    EXPECT_EQ(coarsest_equitable_partition(in).class_of, naive_refinement(in)) << i;
  }
}

TEST(Partition, EqualsNaiveRefinementOnRandomLayouts) {
  // Megatron's groups on nodes of any size, so that groups straddle nodes; up to one slow rank.
  std::mt19937_64 random(13);
  const auto pick = [&](std::initializer_list<std::int64_t> from) { return *(from.begin() + random() % from.size()); };
  int tried = 0, straddling = 0;
  while (tried < 60) {
    const ParallelSizes sizes{.gpus = pick({12, 16, 24, 48}), .tp = pick({1, 2, 4}), .pp = pick({1, 2, 4}), .cp = pick({1, 2}),
                              .ep = pick({1, 2, 3, 4, 8}), .etp = pick({1, 2})};
    if (sizes.gpus % (sizes.tp * sizes.pp * sizes.cp) != 0 || sizes.gpus % (sizes.etp * sizes.ep * sizes.pp) != 0) continue;
    ++tried;
    const ParallelLayout layout(sizes);
    const auto n = static_cast<std::size_t>(sizes.gpus);
    const std::size_t node = static_cast<std::size_t>(pick({2, 4, 5, 8}));
    PartitionInput in{.ranks = n, .colour = {}, .group_of = {}, .place_of = {blocks(n, node), blocks(n, 2 * node)}};
    for (std::uint32_t r = 0; r < n; ++r) in.colour.push_back(static_cast<std::uint64_t>(layout.coordinates(Rank{r}).pp));
    if (tried % 2) in.colour[random() % n] = 77;
    for (std::size_t k = 0; k < kGroupKinds; ++k) in.group_of.push_back(groups_of(layout, static_cast<GroupKind>(k)));
    const Partition p = coarsest_equitable_partition(in);
    ASSERT_EQ(p.class_of, naive_refinement(in)) << tried;
    straddling += p.size.size() > static_cast<std::size_t>(sizes.pp) && p.size.size() < n;
  }
  EXPECT_GT(straddling, 15);
}

TEST(Partition, AlikeRanksAreOneClass) {
  const Partition p = coarsest_equitable_partition({.ranks = 16, .colour = {}, .group_of = {blocks(16, 4)}, .place_of = {blocks(16, 8)}});
  EXPECT_EQ(p.class_of, Classes(16, 0));
  EXPECT_EQ(p.representative, std::vector<Rank>{Rank{0}});
  EXPECT_EQ(p.size, std::vector<std::uint32_t>{16});
}

TEST(Partition, ColoursAloneSplitRanksThatShareNoGroup) {
  const Partition p = coarsest_equitable_partition({.ranks = 5, .colour = {9, 7, 9, 8, 7}, .group_of = {}, .place_of = {}});
  EXPECT_EQ(p.class_of, (Classes{0, 1, 0, 2, 1}));
  EXPECT_EQ(p.representative, (std::vector<Rank>{Rank{0}, Rank{1}, Rank{3}}));
  EXPECT_EQ(p.size, (std::vector<std::uint32_t>{2, 2, 1}));
}

TEST(Partition, OnePerturbedRankSplitsExactlyThoseWhoseViewItChanges) {
  // TP pairs {0,1} {2,3} {4,5} {6,7}, DP groups of the even and of the odd ranks. Rank 2 is slow. It is alone, and so is its TP
  // partner 3; the other even ranks share its DP group, the other odd ones share that of 3.
  const ParallelLayout layout({.gpus = 8, .tp = 2});
  PartitionInput in{.ranks = 8, .colour = std::vector<std::uint64_t>(8, 1), .group_of = {}, .place_of = {}};
  in.group_of = {groups_of(layout, GroupKind::tp), groups_of(layout, GroupKind::dp)};
  EXPECT_EQ(coarsest_equitable_partition(in).size.size(), 1u);
  in.colour[2] = 5;
  EXPECT_EQ(coarsest_equitable_partition(in).class_of, (Classes{0, 1, 2, 3, 0, 1, 0, 1}));
}

TEST(Partition, APerturbedRankLeavesOtherComponentsWhole) {
  // Without a DP group the replicas do not meet: only the pair of rank 2 changes.
  PartitionInput in{.ranks = 8, .colour = std::vector<std::uint64_t>(8, 1), .group_of = {blocks(8, 2)}, .place_of = {}};
  in.colour[2] = 5;
  EXPECT_EQ(coarsest_equitable_partition(in).class_of, (Classes{0, 0, 1, 2, 0, 0, 0, 0}));
}

TEST(Partition, SplitsTravelThroughChainsOfGroups) {
  // Pairs {0,1} {2,3} ... and {1,2} {3,4} ... make a path 0-1-...-7 whose ends lie in one group only: mirror images stay together.
  const Classes odd_pairs{kNoGroup, 0, 0, 1, 1, 2, 2, kNoGroup};
  const Partition p = coarsest_equitable_partition({.ranks = 8, .colour = {}, .group_of = {blocks(8, 2), odd_pairs}, .place_of = {}});
  EXPECT_EQ(p.class_of, (Classes{0, 1, 2, 3, 3, 2, 1, 0}));
}

TEST(Partition, AGroupSpreadUnevenlyOverNodesSplitsByDistance) {
  // One group of 6 on nodes of 4: ranks 0-3 have 3 near peers, ranks 4-5 one.
  PartitionInput in{.ranks = 6, .colour = {}, .group_of = {blocks(6, 6)}, .place_of = {blocks(6, 4)}};
  EXPECT_EQ(coarsest_equitable_partition(in).class_of, (Classes{0, 0, 0, 0, 1, 1}));
  in.place_of = {blocks(6, 2), blocks(6, 4)};   // nodes of 2 look alike; leaves of 4 do not
  EXPECT_EQ(coarsest_equitable_partition(in).class_of, (Classes{0, 0, 0, 0, 1, 1}));
  in.place_of = {blocks(6, 2)};
  EXPECT_EQ(coarsest_equitable_partition(in).size, std::vector<std::uint32_t>{6});
}

TEST(Partition, PlacesMatterOnlyWhereAGroupMeets) {
  // Pairs never leave their node of 4, so a last node that is half full changes nothing.
  const Partition p = coarsest_equitable_partition({.ranks = 6, .colour = {}, .group_of = {blocks(6, 2)}, .place_of = {blocks(6, 4)}});
  EXPECT_EQ(p.size, std::vector<std::uint32_t>{6});
}

TEST(Partition, AStageIsOneClassWhenItsGroupsLieAlikeOnNodes) {
  const ParallelLayout layout({.gpus = 1024, .tp = 2, .pp = 8, .ep = 64, .etp = 1});
  PartitionInput in{.ranks = 1024, .colour = {}, .group_of = {}, .place_of = {blocks(1024, 8), blocks(1024, 256)}};
  for (std::uint32_t r = 0; r < 1024; ++r) in.colour.push_back(static_cast<std::uint64_t>(layout.coordinates(Rank{r}).pp));
  for (GroupKind kind : {GroupKind::tp, GroupKind::dp_cp, GroupKind::pp, GroupKind::ep, GroupKind::etp, GroupKind::edp, GroupKind::embedding})
    in.group_of.push_back(groups_of(layout, kind));
  const Partition p = coarsest_equitable_partition(in);
  EXPECT_EQ(p.size, std::vector<std::uint32_t>(8, 128));
  in.colour[700] = 99;   // stage 5: its own EP group, pair and pipeline now differ from the rest
  const Partition perturbed = coarsest_equitable_partition(in);
  EXPECT_GT(perturbed.size.size(), 8u);
  EXPECT_EQ(perturbed.size[perturbed.class_of[700]], 1u);
  EXPECT_TRUE(refines(perturbed.class_of, p.class_of));
}

TEST(Partition, WrongInputIsAnInternalError) {
  EXPECT_THROW(coarsest_equitable_partition({.ranks = 2, .colour = {1}, .group_of = {}, .place_of = {}}), InternalError);
  EXPECT_THROW(coarsest_equitable_partition({.ranks = 2, .colour = {}, .group_of = {{0}}, .place_of = {}}), InternalError);
  EXPECT_THROW(coarsest_equitable_partition({.ranks = 2, .colour = {}, .group_of = {{0, 2}}, .place_of = {}}), InternalError);
  EXPECT_THROW(coarsest_equitable_partition({.ranks = 2, .colour = {}, .group_of = {}, .place_of = {{0, kNoGroup}}}), InternalError);
  EXPECT_THROW(coarsest_equitable_partition({.ranks = 3, .colour = {}, .group_of = {}, .place_of = {{0, 0, 1}, {0, 1, 1}}}), InternalError);
  EXPECT_EQ(coarsest_equitable_partition({}).size.size(), 0u);
}

}  // namespace
}  // namespace moesim
