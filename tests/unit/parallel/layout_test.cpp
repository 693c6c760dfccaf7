// Process groups against facts and against a second implementation of Megatron-LM's rank generator (parallel_state.py), which walks
// masked shapes with strides instead of reading coordinates.
#include "parallel/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace moesim {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

std::vector<std::int64_t> values(const std::vector<Rank>& ranks) {
  std::vector<std::int64_t> out;
  for (Rank r : ranks) out.push_back(r.value());
  return out;
}

Groups groups(const ParallelLayout& layout, GroupKind kind) {
  Groups out;
  for (std::size_t g = 0; g < layout.group_count(kind); ++g) out.push_back(values(layout.members(kind, g)));
  return out;
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t count, std::int64_t stride = 1) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(first + i * stride);
  return out;
}

std::string error_of(ParallelSizes sizes) {
  try {
    ParallelLayout layout(sizes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// ---- the second implementation ----

std::vector<std::int64_t> prefix_product(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out{1};
  for (std::int64_t s : shape) out.push_back(out.back() * s);
  return out;
}

std::vector<std::int64_t> decompose(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out;
  for (std::int64_t s : shape) {
    out.push_back(index % s);
    index /= s;
  }
  return out;
}

std::int64_t inner_product(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), std::int64_t{0});
}

/// generate_masked_orthogonal_rank_groups.
Groups orthogonal_groups(const std::vector<std::int64_t>& shape, const std::vector<bool>& mask) {
  const std::vector<std::int64_t> strides = prefix_product(shape);
  std::vector<std::int64_t> in_shape, in_stride, out_shape, out_stride;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (mask[i] ? in_shape : out_shape).push_back(shape[i]);
    (mask[i] ? in_stride : out_stride).push_back(strides[i]);
  }
  const std::int64_t size = prefix_product(in_shape).back();
  Groups out(static_cast<std::size_t>(strides.back() / size));
  for (std::size_t g = 0; g < out.size(); ++g)
    for (std::int64_t m = 0; m < size; ++m)
      out[g].push_back(inner_product(decompose(m, in_shape), in_stride) +
                       inner_product(decompose(static_cast<std::int64_t>(g), out_shape), out_stride));
  return out;
}

/// RankGenerator.get_ranks: `token` such as "tp-ep".
Groups get_ranks(const std::string& order, std::map<std::string, std::int64_t> sizes, const std::string& token) {
  std::vector<std::int64_t> shape;
  std::vector<bool> mask;
  const std::string wanted = "-" + token + "-";
  for (std::size_t i = 0; i < order.size(); i += 3) {
    const std::string word = order.substr(i, 2);
    shape.push_back(sizes[word]);
    mask.push_back(wanted.find("-" + word + "-") != std::string::npos);
  }
  return orthogonal_groups(shape, mask);
}

Groups embedding_groups(const Groups& pipelines) {
  Groups out;
  for (const auto& p : pipelines) out.push_back(p.size() == 1 ? p : std::vector<std::int64_t>{p.front(), p.back()});
  return out;
}

std::map<GroupKind, Groups> megatron_groups(const ParallelSizes& s) {
  const std::map<std::string, std::int64_t> attention{
      {"tp", s.tp}, {"cp", s.cp}, {"ep", 1}, {"pp", s.pp}, {"dp", s.gpus / (s.tp * s.cp * s.pp)}};
  const std::map<std::string, std::int64_t> expert{
      {"tp", s.etp}, {"cp", 1}, {"ep", s.ep}, {"pp", s.pp}, {"dp", s.gpus / (s.etp * s.ep * s.pp)}};
  const auto a = [&](const char* token) { return get_ranks(s.order, attention, token); };
  const auto e = [&](const char* token) { return get_ranks(s.order, expert, token); };
  return {{GroupKind::tp, a("tp")},       {GroupKind::cp, a("cp")},
          {GroupKind::dp, a("dp")},       {GroupKind::dp_cp, a("dp-cp")},
          {GroupKind::pp, a("pp")},       {GroupKind::tp_cp, a("tp-cp")},
          {GroupKind::tp_pp, a("tp-pp")}, {GroupKind::embedding, embedding_groups(a("pp"))},
          {GroupKind::ep, e("ep")},       {GroupKind::etp, e("tp")},
          {GroupKind::tp_ep, e("tp-ep")}, {GroupKind::edp, e("dp")}};
}

/// Megatron accepts a layout if both grids use all ranks and give the same pipelines.
bool megatron_accepts(const ParallelSizes& s) {
  if (s.gpus % (s.tp * s.cp * s.pp) != 0 || s.gpus % (s.etp * s.ep * s.pp) != 0) return false;
  const std::int64_t dp = s.gpus / (s.tp * s.cp * s.pp), edp = s.gpus / (s.etp * s.ep * s.pp);
  if (!(s.order.ends_with("pp") || s.pp == 1 || edp == dp)) return false;
  return get_ranks(s.order, {{"tp", s.tp}, {"cp", s.cp}, {"ep", 1}, {"pp", s.pp}, {"dp", dp}}, "pp") ==
         get_ranks(s.order, {{"tp", s.etp}, {"cp", 1}, {"ep", s.ep}, {"pp", s.pp}, {"dp", edp}}, "pp");
}

TEST(ParallelLayout, EqualsMegatronsRankGeneratorOnRandomSizesAndOrders) {
  std::mt19937_64 random(7);   // mt19937 is the same everywhere; no std distribution
  const auto pick = [&](std::initializer_list<std::int64_t> from) { return *(from.begin() + random() % from.size()); };
  int accepted = 0, refused = 0, folded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> words{"tp", "cp", "ep", "dp", "pp"};
    for (std::size_t k = words.size(); k > 1; --k) std::swap(words[k - 1], words[random() % k]);
    ParallelSizes s{.gpus = pick({8, 12, 16, 24, 48, 64, 96}), .tp = pick({1, 2, 3, 4}), .pp = pick({1, 2, 4}), .cp = pick({1, 1, 2}),
                    .ep = pick({1, 2, 3, 4, 8}), .etp = pick({1, 2, 4})};
    if (i % 3 == 1) s.order = "tp-cp-ep-pp-dp";
    if (i % 3 == 2) s.order = words[0] + "-" + words[1] + "-" + words[2] + "-" + words[3] + "-" + words[4];
    if (!megatron_accepts(s)) {
      ++refused;
      EXPECT_NE(error_of(s), "") << s.order;
      continue;
    }
    ++accepted;
    folded += s.tp != s.etp && s.ep > 1;
    ASSERT_EQ(error_of(s), "") << s.order;
    const ParallelLayout layout(s);
    for (const auto& [kind, expected] : megatron_groups(s)) ASSERT_EQ(groups(layout, kind), expected) << s.order << " " << name(kind);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
  EXPECT_GT(folded, 100);
}

TEST(ParallelLayout, GroupOfAndIndexInGroupInvertMembers) {
  for (const ParallelSizes& s : {ParallelSizes{.gpus = 96, .tp = 2, .pp = 4, .cp = 2, .ep = 6, .etp = 1},
                                 ParallelSizes{.gpus = 64, .tp = 4, .pp = 4, .ep = 4, .etp = 1, .order = "tp-cp-ep-pp-dp"}}) {
    const ParallelLayout layout(s);
    for (std::size_t k = 0; k < kGroupKinds; ++k) {
      const GroupKind kind = static_cast<GroupKind>(k);
      std::int64_t seen = 0;
      for (std::size_t g = 0; g < layout.group_count(kind); ++g) {
        const std::vector<Rank> members = layout.members(kind, g);
        ASSERT_EQ(static_cast<std::int64_t>(members.size()), layout.group_size(kind)) << name(kind);
        for (std::size_t m = 0; m < members.size(); ++m, ++seen) {
          ASSERT_TRUE(layout.in_group(kind, members[m]));
          ASSERT_EQ(layout.group_of(kind, members[m]), g) << name(kind);
          ASSERT_EQ(layout.index_in_group(kind, members[m]), static_cast<std::int64_t>(m)) << name(kind);
        }
      }
      // Every rank is in one group of every kind, but for the inner stages and the embedding: 2 of 4 stages here.
      EXPECT_EQ(seen, kind == GroupKind::embedding ? s.gpus / 2 : s.gpus) << name(kind);
    }
  }
}

TEST(ParallelLayout, CoordinatesFollowTheTwoFormulasOfMegatron) {
  const ParallelLayout layout({.gpus = 192, .tp = 2, .pp = 4, .cp = 2, .ep = 6, .etp = 1});
  EXPECT_EQ(layout.dp(), 12);    // 192 / (2 * 2 * 4)
  EXPECT_EQ(layout.edp(), 8);    // 192 / (1 * 6 * 4)
  for (std::uint32_t r = 0; r < 192; ++r) {
    const Coordinates c = layout.coordinates(Rank{r});
    EXPECT_EQ(c.tp + 2 * (c.cp + 2 * (c.dp + 12 * c.pp)), r);
    EXPECT_EQ(c.etp + 1 * (c.ep + 6 * (c.edp + 8 * c.pp)), r);
  }
}

TEST(ParallelLayout, Tp2Pp8Ep64On1024RanksFoldsExpertGroupsOverTensorGroups) {
  const ParallelLayout layout({.gpus = 1024, .tp = 2, .pp = 8, .ep = 64, .etp = 1});
  EXPECT_EQ(layout.dp(), 64);     // 1024 / (2 * 8)
  EXPECT_EQ(layout.edp(), 2);     // 1024 / (64 * 8)
  EXPECT_EQ(groups(layout, GroupKind::tp)[5], range(10, 2));
  EXPECT_EQ(groups(layout, GroupKind::pp)[3], range(3, 8, 128));
  EXPECT_EQ(groups(layout, GroupKind::dp)[1], range(1, 64, 2));
  EXPECT_EQ(groups(layout, GroupKind::ep)[0], range(0, 64));        // 64 consecutive ranks ...
  EXPECT_EQ(groups(layout, GroupKind::ep)[15], range(960, 64));
  EXPECT_EQ(groups(layout, GroupKind::edp)[0], range(0, 2, 64));
  EXPECT_EQ(groups(layout, GroupKind::edp)[64], range(128, 2, 64));
  std::set<std::int64_t> replicas;                                  // ... which are 32 attention replicas of 2
  for (Rank r : layout.members(GroupKind::ep, 0)) replicas.insert(layout.coordinates(r).dp);
  EXPECT_EQ(replicas.size(), 32u);
}

TEST(ParallelLayout, EtpDefaultsToTpSoExpertGroupsStrideOverIt) {
  const ParallelLayout layout({.gpus = 1024, .tp = 2, .pp = 8, .ep = 64});
  EXPECT_EQ(layout.sizes().etp, 2);
  EXPECT_EQ(layout.edp(), 1);     // 1024 / (2 * 64 * 8)
  EXPECT_EQ(groups(layout, GroupKind::ep)[0], range(0, 64, 2));
  EXPECT_EQ(groups(layout, GroupKind::ep)[1], range(1, 64, 2));
  EXPECT_EQ(groups(layout, GroupKind::etp)[1], range(2, 2));
  EXPECT_EQ(groups(layout, GroupKind::tp_ep)[1], range(128, 128));
}

TEST(ParallelLayout, Tp8Ep8Etp1Pp8On128PutsAnExpertGroupInsideATensorGroup) {
  const ParallelLayout layout({.gpus = 128, .tp = 8, .pp = 8, .ep = 8, .etp = 1});
  EXPECT_EQ(layout.dp(), 2);
  EXPECT_EQ(layout.edp(), 2);
  EXPECT_EQ(groups(layout, GroupKind::ep), groups(layout, GroupKind::tp));
  EXPECT_EQ(groups(layout, GroupKind::edp), groups(layout, GroupKind::dp));
  EXPECT_EQ(groups(layout, GroupKind::pp)[9], range(9, 8, 16));
  EXPECT_EQ(groups(layout, GroupKind::tp_pp)[1],
            (std::vector<std::int64_t>{8,  9,  10, 11, 12, 13, 14, 15, 24,  25,  26,  27,  28,  29,  30,  31,  40,  41,  42,  43,  44, 45,
                                       46, 47, 56, 57, 58, 59, 60, 61, 62,  63,  72,  73,  74,  75,  76,  77,  78,  79,  88,  89,  90, 91,
                                       92, 93, 94, 95, 104, 105, 106, 107, 108, 109, 110, 111, 120, 121, 122, 123, 124, 125, 126, 127}));
}

TEST(ParallelLayout, ExpertGroupsFoldOverTensorThenContextThenDataParallel) {
  // Attention: rank = tp + 2 * (cp + 2 * dp). Experts: an EP group is 8 consecutive ranks, so 2 tp x 2 cp x 2 dp.
  const ParallelLayout layout({.gpus = 16, .tp = 2, .cp = 2, .ep = 8, .etp = 1});
  EXPECT_EQ(groups(layout, GroupKind::cp), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(groups(layout, GroupKind::dp), (Groups{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
  EXPECT_EQ(groups(layout, GroupKind::tp_cp), (Groups{range(0, 4), range(4, 4), range(8, 4), range(12, 4)}));
  EXPECT_EQ(groups(layout, GroupKind::dp_cp), (Groups{range(0, 8, 2), range(1, 8, 2)}));
  EXPECT_EQ(groups(layout, GroupKind::ep), (Groups{range(0, 8), range(8, 8)}));
  EXPECT_EQ(groups(layout, GroupKind::edp)[3], (std::vector<std::int64_t>{3, 11}));
}

TEST(ParallelLayout, WithoutTensorParallelismExpertGroupsAreBlocksOfDataParallelRanks) {
  const ParallelLayout layout({.gpus = 64, .pp = 2, .ep = 8});
  EXPECT_EQ(groups(layout, GroupKind::ep)[5], range(40, 8));
  EXPECT_EQ(groups(layout, GroupKind::dp), (Groups{range(0, 32), range(32, 32)}));
  EXPECT_EQ(groups(layout, GroupKind::edp)[1], range(1, 4, 8));
  EXPECT_EQ(groups(layout, GroupKind::embedding)[7], (std::vector<std::int64_t>{7, 39}));
}

TEST(ParallelLayout, RaisingEpLeavesEveryAttentionGroupAsItWas) {
  const ParallelLayout reference({.gpus = 256, .tp = 2, .pp = 4, .cp = 2, .ep = 1, .etp = 1});
  for (std::int64_t ep : {2, 4, 8, 16, 32, 64}) {
    const ParallelLayout layout({.gpus = 256, .tp = 2, .pp = 4, .cp = 2, .ep = ep, .etp = 1});
    for (GroupKind kind : {GroupKind::tp, GroupKind::cp, GroupKind::dp, GroupKind::dp_cp, GroupKind::pp, GroupKind::tp_cp,
                           GroupKind::tp_pp, GroupKind::embedding})
      EXPECT_EQ(groups(layout, kind), groups(reference, kind)) << "ep " << ep << " " << name(kind);
    EXPECT_EQ(layout.dp(), reference.dp());
    EXPECT_EQ(layout.edp() * ep, reference.edp());
  }
}

TEST(ParallelLayout, PipelineBeforeDataParallelKeepsAPipelineOnNeighbouringRanks) {
  const ParallelLayout layout({.gpus = 16, .tp = 2, .pp = 4, .ep = 2, .etp = 1, .order = "tp-cp-ep-pp-dp"});
  EXPECT_EQ(groups(layout, GroupKind::pp)[0], range(0, 4, 2));
  EXPECT_EQ(groups(layout, GroupKind::dp)[0], (std::vector<std::int64_t>{0, 8}));
}

TEST(ParallelLayout, EmbeddingGroupJoinsFirstAndLastStage) {
  const ParallelLayout layout({.gpus = 8, .tp = 2, .pp = 4});
  EXPECT_EQ(groups(layout, GroupKind::embedding), (Groups{{0, 6}, {1, 7}}));
  EXPECT_FALSE(layout.in_group(GroupKind::embedding, Rank{2}));
  EXPECT_THROW(layout.group_of(GroupKind::embedding, Rank{2}), InternalError);
  EXPECT_THROW(layout.index_in_group(GroupKind::embedding, Rank{2}), InternalError);
  EXPECT_EQ(groups(ParallelLayout({.gpus = 2}), GroupKind::embedding), (Groups{{0}, {1}}));
}

TEST(ParallelLayout, ImpossibleSizesAreRefusedWithTheRuleAndItsNumbers) {
  EXPECT_EQ(error_of({.gpus = 100, .tp = 2, .pp = 8}), "gpus 100 is not divisible by tp * cp * pp = 2 * 1 * 8 = 16");
  EXPECT_EQ(error_of({.gpus = 96, .tp = 2, .pp = 2, .ep = 64, .etp = 1}), "gpus 96 is not divisible by etp * ep * pp = 1 * 64 * 2 = 128");
  EXPECT_EQ(error_of({.gpus = 16, .tp = 16, .pp = 16, .cp = 16}), "gpus 16 is not divisible by tp * cp * pp = 16 * 16 * 16 = 4096");
  EXPECT_EQ(error_of({.gpus = 0}), "gpus: found 0, allowed is 1 to 1048576");
  EXPECT_EQ(error_of({.gpus = 2000000}), "gpus: found 2000000, allowed is 1 to 1048576");
  EXPECT_EQ(error_of({.gpus = 8, .tp = 0}), "tp: found 0, allowed is 1 to gpus = 8");
  EXPECT_EQ(error_of({.gpus = 8, .pp = -2}), "pp: found -2, allowed is 1 to gpus = 8");
  EXPECT_EQ(error_of({.gpus = 8, .cp = 9}), "cp: found 9, allowed is 1 to gpus = 8");
  EXPECT_EQ(error_of({.gpus = 8, .ep = INT64_MAX}), "ep: found 9223372036854775807, allowed is 1 to gpus = 8");
  EXPECT_EQ(error_of({.gpus = 8, .etp = -1}), "etp: found -1, allowed is 1 to gpus = 8");
  EXPECT_EQ(error_of({.gpus = 8, .pp = 2, .vpp = 0}), "vpp: found 0, allowed is 1 to 1048576");
  EXPECT_EQ(error_of({.gpus = 8, .vpp = 2}), "vpp: found 2 with pp 1, allowed is 1: model chunks need pp > 1");
}

TEST(ParallelLayout, MalformedOrdersAreRefused) {
  const std::string allowed = "\", allowed is a permutation of tp, cp, ep, dp, pp such as \"tp-cp-ep-dp-pp\": ";
  EXPECT_EQ(error_of({.gpus = 8, .order = "tp-cp-ep-dp"}), "order: found \"tp-cp-ep-dp" + allowed + "pp is missing");
  EXPECT_EQ(error_of({.gpus = 8, .order = "tp-cp-ep-dp-pp-tp"}), "order: found \"tp-cp-ep-dp-pp-tp" + allowed + "tp stands there twice");
  EXPECT_EQ(error_of({.gpus = 8, .order = "tp-cp-xx-dp-pp"}), "order: found \"tp-cp-xx-dp-pp" + allowed + "\"xx\" is no dimension");
  EXPECT_EQ(error_of({.gpus = 8, .order = ""}), "order: found \"" + allowed + "\"\" is no dimension");
  EXPECT_EQ(error_of({.gpus = 8, .order = "tp-cp-ep-dp-pp-"}), "order: found \"tp-cp-ep-dp-pp-" + allowed + "\"\" is no dimension");
}

TEST(ParallelLayout, OrdersThatGiveExpertsOtherPipelinesAreRefused) {
  EXPECT_EQ(error_of({.gpus = 16, .tp = 2, .pp = 2, .ep = 4, .etp = 1, .order = "tp-cp-ep-pp-dp"}),
            "order \"tp-cp-ep-pp-dp\" gives other pipeline groups to attention than to experts: pp is not last, so dp must equal edp, "
            "but dp = 4 and edp = 2");
  // dp = edp = 2, yet ep varies outside pp and tp inside: neighbours are 4 ranks apart in one grid and 1 in the other.
  EXPECT_EQ(error_of({.gpus = 16, .tp = 4, .pp = 2, .ep = 4, .etp = 1, .order = "tp-pp-cp-ep-dp"}),
            "order \"tp-pp-cp-ep-dp\" gives other pipeline groups to attention than to experts: neighbouring stages are 4 and 1 ranks apart");
}

}  // namespace
}  // namespace moesim
