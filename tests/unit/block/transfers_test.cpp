// What a layer sends: closed forms of the bytes, and where the host waits.
#include <gtest/gtest.h>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;
using enum CollectiveOp;

constexpr std::int64_t kTokens = 4096;

/// Bytes that one rank sends in a group of n, by the bus factors of nccl-tests.
double sent(const NodeList& nodes, GroupKind g, double n) {
  const double gather = static_cast<double>(exchanged(nodes, all_gather, g) + exchanged(nodes, reduce_scatter, g)) * (n - 1) / n;
  return gather + static_cast<double>(exchanged(nodes, all_reduce, g)) * 2 * (n - 1) / n;
}

TEST(TpTransfers, ADenseLayerGathersAndScattersTwiceForwardAndRegathersForWeights) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  const LayerProgram p = c.lower();
  const std::int64_t full = 2 * kTokens * 8192;
  EXPECT_EQ(exchanged(p.forward, all_gather, GroupKind::tp), 2 * full);
  EXPECT_EQ(exchanged(p.forward, reduce_scatter, GroupKind::tp), 2 * full);
  EXPECT_EQ(count<Exchange>(p.forward), 4);
  EXPECT_EQ(exchanged(p.backward, all_gather, GroupKind::tp),
            4 * full);  // output gradients, and inputs again for the weight gradients
  EXPECT_EQ(exchanged(p.backward, reduce_scatter, GroupKind::tp), 2 * full);
  EXPECT_EQ(count<Exchange>(p.backward), 6);
}

// What the backward of fc1 does, in order; a transfer that runs behind kernels is marked.
std::string order_of_fc1(const NodeList& nodes) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (const auto* k = std::get_if<Kernel>(&nodes[i])) {
      const bool fc1 = k->op.label == "fc1";
      if (inside && !fc1) break;
      if (fc1 && !inside) {
        inside = true;
        if (i > 0)
          if (const auto* e = std::get_if<Exchange>(&nodes[i - 1])) out += std::string(name(e->op)) + (e->behind ? " behind, " : ", ");
      }
      if (fc1) out += k->op.pass == Pass::dgrad ? "dgrad, " : "wgrad, ";
    } else if (inside) {
      if (const auto* e = std::get_if<Exchange>(&nodes[i])) out += std::string(name(e->op)) + (e->behind ? " behind, " : ", ");
      if (std::holds_alternative<Join>(nodes[i])) out += "join, ";
    }
  }
  return out;
}

TEST(TpTransfers, WithOverlapAColumnLayerHidesItsTransfersBehindItsOwnGradients) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  EXPECT_EQ(order_of_fc1(c.lower().backward), "all_gather, dgrad, reduce_scatter, wgrad, ");
  c.settings.tp_overlap = true;
  EXPECT_EQ(order_of_fc1(c.lower().backward), "all_gather behind, dgrad, join, reduce_scatter behind, wgrad, join, ");
  c.settings.sequence_parallel = false;
  EXPECT_EQ(order_of_fc1(c.lower().backward), "dgrad, all_reduce behind, wgrad, join, ");
  c.settings.parallel.tp = 1;
  EXPECT_EQ(order_of_fc1(c.lower().backward), "dgrad, wgrad, ");
}

TEST(TpTransfers, WithoutSequenceParallelismALayerReducesTwiceInEachDirection) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  c.settings.sequence_parallel = false;
  const LayerProgram p = c.lower();
  for (const NodeList* nodes : {&p.forward, &p.backward}) {
    EXPECT_EQ(exchanged(*nodes, all_reduce, GroupKind::tp), 2 * 2 * kTokens * 8192);
    EXPECT_EQ(count<Exchange>(*nodes), 2);
  }
}

TEST(TpTransfers, SequenceParallelismMovesTheSameBytesForwardAndHalfMoreBackward) {
  Case with(llama_3_70b()), without(llama_3_70b());
  with.settings.parallel.tp = without.settings.parallel.tp = 8;
  without.settings.sequence_parallel = false;
  const LayerProgram a = with.lower(), b = without.lower();
  EXPECT_DOUBLE_EQ(sent(a.forward, GroupKind::tp, 8), sent(b.forward, GroupKind::tp, 8));
  EXPECT_DOUBLE_EQ(sent(a.backward, GroupKind::tp, 8), 1.5 * sent(b.backward, GroupKind::tp, 8));
}

TEST(TpTransfers, MoreRanksThanKeyValueHeadsGatherQueriesKeysAndValues) {
  Case c(qwen3_30b());  // 32 query and 4 key/value heads of 128: 5,120 columns
  c.settings.parallel.tp = 4;
  const LayerProgram four = c.lower();
  c.settings.parallel.tp = 8;
  const LayerProgram eight = c.lower();
  const std::int64_t columns = 2 * kTokens * 5120;
  EXPECT_EQ(exchanged(eight.forward, all_gather, GroupKind::tp) - exchanged(four.forward, all_gather, GroupKind::tp), columns);
  EXPECT_EQ(exchanged(eight.backward, reduce_scatter, GroupKind::tp) - exchanged(four.backward, reduce_scatter, GroupKind::tp), columns);
}

TEST(TpTransfers, NothingMovesWithOneRank) {
  Case c(deepseek_v3());
  for (const NodeList& nodes :
       {c.lower().forward, c.lower().backward, lower_embedding(c.settings).forward, lower_head(c.settings).backward}) {
    EXPECT_EQ(count<Exchange>(nodes), 0);
    EXPECT_EQ(count<ExpertExchange>(nodes), 0);
    EXPECT_EQ(count<LoadedExchange>(nodes), 0);
  }
}

TEST(TpTransfers, MlaGathersLatentsRatherThanHiddenStates) {
  Case c(model_of("mla", 7168, 1000, {mla(128, 1536)}));
  c.settings.parallel.tp = 2;
  EXPECT_EQ(exchanged(c.lower().forward, all_gather, GroupKind::tp), 2 * kTokens * (1536 + 512 + 64));
  EXPECT_EQ(exchanged(c.lower().forward, reduce_scatter, GroupKind::tp), 2 * kTokens * 7168);
}

TEST(TpTransfers, OnlySharedExpertsOfAMoeUnitUseTp) {
  Case with(model_of("moe", 7168, 1000, {moe(256, 8, 2048, 2048)})), without(model_of("moe", 7168, 1000, {moe(256, 8, 2048)}));
  with.settings.parallel.tp = without.settings.parallel.tp = 2;
  EXPECT_EQ(count<Exchange>(without.lower().forward), 0);  // ETP 1, EP 1: routed tokens stay
  EXPECT_EQ(exchanged(with.lower().forward, all_gather, GroupKind::tp), 2 * kTokens * 7168);
  EXPECT_EQ(exchanged(with.lower().forward, reduce_scatter, GroupKind::tp), 2 * kTokens * 7168);
}

TEST(TpTransfers, TheEmbeddingScattersItsSumAndGathersItsGradient) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  EXPECT_EQ(exchanged(lower_embedding(c.settings).forward, reduce_scatter, GroupKind::tp), 2 * kTokens * 8192);
  EXPECT_EQ(exchanged(lower_embedding(c.settings).backward, all_gather, GroupKind::tp), 2 * kTokens * 8192);
  c.settings.sequence_parallel = false;
  EXPECT_EQ(exchanged(lower_embedding(c.settings).forward, all_reduce, GroupKind::tp), 2 * kTokens * 8192);
  EXPECT_EQ(count<Exchange>(lower_embedding(c.settings).backward), 0);
}

TEST(TpTransfers, CrossEntropySharesThreeScalarsAToken) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  c.stack.cross_entropy_fusion = false;
  EXPECT_EQ(exchanged(lower_head(c.settings).forward, all_reduce, GroupKind::tp), 3 * 4 * kTokens);
  c.stack.cross_entropy_fusion = true;
  EXPECT_EQ(exchanged(lower_head(c.settings).forward, all_gather, GroupKind::tp), 2 * kTokens * 8192 + 3 * 4 * kTokens * 4);
}

// --- experts --------------------------------------------------------------------------------------------------------------------

std::vector<ExpertExchange> moves(const NodeList& nodes) {
  std::vector<ExpertExchange> out;
  for (const Node& n : nodes)
    if (const auto* e = std::get_if<ExpertExchange>(&n)) out.push_back(*e);
  return out;
}

TEST(ExpertTransfers, EachDirectionDispatchesThenCombines) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 64;
  c.settings.precision.dispatch = DType::fp8;
  const LayerProgram p = c.lower();
  for (const NodeList* nodes : {&p.forward, &p.backward}) {
    const std::vector<ExpertExchange> m = moves(*nodes);
    ASSERT_EQ(m.size(), 2u);
    EXPECT_FALSE(m[0].combine);  // in backward: the gradient of combine
    EXPECT_TRUE(m[1].combine);
    EXPECT_EQ(m[0].dtype, DType::fp8);
    EXPECT_EQ(m[1].dtype, DType::bf16);
  }
}

TEST(ExpertTransfers, TokenCountsOfAllRanksAreGatheredBeforeATwoStageExchange) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 64;
  EXPECT_EQ(exchanged(c.lower().forward, all_gather, GroupKind::tp_ep),
            8 * 256 * 64);  // 64-bit counts of 256 experts from 64 ranks
  EXPECT_EQ(exchanged(c.lower().backward, all_gather, GroupKind::tp_ep), 0);
  c.settings.capacity = {1.0, true};  // padding fixes all counts
  EXPECT_EQ(exchanged(c.lower().forward, all_gather, GroupKind::tp_ep), 0);
}

TEST(ExpertTransfers, TheHostWaitsForCountsOnlyIfDroplessAndTheDispatcherReadsThem) {
  for (const bool reads : {false, true})
    for (const bool capacity : {false, true}) {
      Case c(deepseek_v3());
      c.settings.parallel.ep = 8;
      c.dispatcher = FlagDispatcher(true, reads);
      if (capacity) c.settings.capacity.factor = 1.0;
      EXPECT_EQ(count<HostSync>(c.lower().forward), reads && !capacity ? 1 : 0);
      EXPECT_EQ(count<HostSync>(c.lower().backward), 0);
    }
}

TEST(ExpertTransfers, TheHostWaitsAfterPermutationAndBeforeDispatch) {
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  const NodeList forward = c.lower().forward;
  for (std::size_t i = 0; i < forward.size(); ++i) {
    if (!std::holds_alternative<HostSync>(forward[i])) continue;
    EXPECT_EQ(std::get<Kernel>(forward[i - 1]).op.label, "permute");
    EXPECT_FALSE(std::get<ExpertExchange>(forward[i + 1]).combine);
  }
}

TEST(ExpertTransfers, EtpPeersGatherArrivingCopiesAndScatterResults) {
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  c.settings.parallel.etp = 2;
  const LayerProgram p = c.lower();
  for (const NodeList* nodes : {&p.forward, &p.backward}) {
    std::vector<LoadedExchange> found;
    for (const Node& n : *nodes)
      if (const auto* e = std::get_if<LoadedExchange>(&n)) found.push_back(*e);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].op, all_gather);
    EXPECT_EQ(found[1].op, reduce_scatter);
    // 1,000 copies arrive at each of 2 peers: the whole buffer holds 2,000 rows of 4,096 bf16 elements.
    const Exchange e = at_load(found[0], RankLoad{999, 1000, 600, 2});
    EXPECT_EQ(e.group, GroupKind::etp);
    EXPECT_EQ(e.bytes, Bytes{2000 * 4096 * 2});
    EXPECT_EQ(at_load(found[0], RankLoad{}).bytes, Bytes{1});
  }
}

TEST(ExpertTransfers, PaddingMakesEveryRankPermuteItsFullCapacity) {
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  const auto permuted = [&] {
    std::int64_t bytes = 0;
    each_op(c.lower().forward, {}, [&](const Op& op) { bytes += op.label == "permute" ? op.traffic.count() : 0; });
    return bytes;
  };
  const std::int64_t dropless = permuted();
  EXPECT_EQ(dropless, 4 * 4096 * (2 * kTokens));
  c.settings.capacity = {1.5, true};  // 8 experts x ceil(4096 x 2 / 8 x 1.5) = 1.5 x 8192 rows
  EXPECT_EQ(permuted(), 4 * 4096 * (3 * kTokens));
}

}  // namespace
}  // namespace moesim
