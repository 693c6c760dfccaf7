// Recomputation adds exactly the forward work of its module, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

const RankLoad kLoad{1000, 1000, 300, 4};

std::vector<Op> ops(const NodeList& nodes, bool recomputed) {
  std::vector<Op> out;
  each_op(nodes, kLoad, [&](Op op) {
    if (op.recompute != recomputed) return;
    op.recompute = false;
    out.push_back(op);
  });
  return out;
}

/// Forward kernels with these labels, in order.
std::vector<Op> forward_ops(const NodeList& forward, const std::vector<std::string_view>& labels) {
  std::vector<Op> out = ops(forward, false);
  std::erase_if(out, [&](const Op& op) { return std::find(labels.begin(), labels.end(), op.label) == labels.end(); });
  return out;
}

struct Module {
  const char* name;
  ModelSpec (*model)();
  bool Recompute::*flag;
  std::vector<std::string_view> repeats;
};

class SelectiveRecompute : public ::testing::TestWithParam<Module> {};

INSTANTIATE_TEST_SUITE_P(
    Block, SelectiveRecompute,
    ::testing::Values(
        Module{"core_attn", llama_3_70b, &Recompute::core_attn, {"attention"}},
        Module{"core_attn_of_mla", deepseek_v3, &Recompute::core_attn, {"attention"}},
        Module{"layernorm", deepseek_v3, &Recompute::layernorm, {"norm"}},
        Module{"mla_up_proj", deepseek_v3, &Recompute::mla_up_proj, {"q up", "kv up", "rotary"}},
        Module{"mlp", llama_3_70b, &Recompute::mlp, {"fc1", "activation", "fc2"}},
        Module{"moe_act", deepseek_v3, &Recompute::moe_act, {"expert activation"}},
        Module{"shared_experts", deepseek_v3, &Recompute::shared_experts, {"shared fc1", "shared activation", "shared fc2"}},
        Module{"moe",
               deepseek_v3,
               &Recompute::moe,
               {"shared fc1", "shared activation", "shared fc2", "router logits", "router", "permute", "sort by expert",
                "expert fc1", "expert activation", "expert fc2", "unsort", "unpermute"}}),
    [](const auto& param) { return param.param.name; });

TEST_P(SelectiveRecompute, AddsExactlyTheForwardKernelsOfItsModule) {
  Case plain(GetParam().model()), repeated(GetParam().model());
  for (Case* c : {&plain, &repeated}) c->settings.parallel.ep = GetParam().model == llama_3_70b ? 1 : 64;
  repeated.recompute(GetParam().flag);
  const LayerProgram a = plain.lower(), b = repeated.lower();
  const std::vector<Op> again = ops(b.backward, true);
  std::vector<Op> expected = forward_ops(a.forward, GetParam().repeats);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(again, expected);
  EXPECT_EQ(ops(b.backward, false), ops(a.backward, false));
  EXPECT_EQ(ops(b.forward, false), ops(a.forward, false));
}

TEST_P(SelectiveRecompute, CostsTheHostOneModule) {
  Case c(GetParam().model());
  c.stack.host_per_recompute_module.value = 7 * kMicrosecond;
  c.recompute(GetParam().flag);
  std::vector<HostWork> work;
  for (const Node& n : c.lower().backward)
    if (const auto* w = std::get_if<HostWork>(&n)) work.push_back(*w);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].time, 7 * kMicrosecond);
}

TEST(Recompute, AModuleOfAnotherKindOfLayerChangesNothing) {
  Case plain(llama_3_70b()), c(llama_3_70b());
  c.stack.host_per_recompute_module.value = kMicrosecond;
  c.recompute(&Recompute::moe)
      .recompute(&Recompute::moe_act)
      .recompute(&Recompute::shared_experts)
      .recompute(&Recompute::mla_up_proj);
  EXPECT_EQ(c.lower().backward.size(), plain.lower().backward.size());
}

TEST(Recompute, AWholeMoeUnitRepeatsItsTransfersAndItsHostSync) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 64;
  c.recompute(&Recompute::moe);
  const LayerProgram p = c.lower();
  EXPECT_EQ(count<ExpertExchange>(p.backward), 4);
  EXPECT_EQ(count<HostSync>(p.backward), 1);
  EXPECT_EQ(exchanged(p.backward, CollectiveOp::all_gather, GroupKind::tp_ep),
            exchanged(p.forward, CollectiveOp::all_gather, GroupKind::tp_ep));
}

TEST(Recompute, AWholeMoeUnitCoversItsActivationAndSharedExperts) {
  Case whole(deepseek_v3()), all(deepseek_v3());
  whole.recompute(&Recompute::moe);
  all.recompute(&Recompute::moe).recompute(&Recompute::moe_act).recompute(&Recompute::shared_experts);
  EXPECT_EQ(ops(all.lower().backward, true), ops(whole.lower().backward, true));
}

TEST(Recompute, FullBeginsBackwardWithTheWholeForward) {
  for (const auto make : {llama_3_70b, deepseek_v3}) {
    Case plain(make()), full(make());
    for (Case* c : {&plain, &full}) {
      c->settings.parallel.tp = 2;
      c->settings.parallel.ep = make == llama_3_70b ? 1 : 64;
    }
    full.settings.recompute.granularity = RecomputeGranularity::full;
    full.settings.recompute.mlp = true;  // modules mean nothing to full recomputation
    const LayerProgram a = plain.lower(), b = full.lower();
    EXPECT_EQ(b.backward.size(), a.forward.size() + a.backward.size());
    EXPECT_EQ(ops(b.backward, true), ops(a.forward, false));
    EXPECT_EQ(ops(b.backward, false), ops(a.backward, false));
    EXPECT_EQ(count<Exchange>(b.backward), count<Exchange>(a.forward) + count<Exchange>(a.backward));
    EXPECT_EQ(count<ExpertExchange>(b.backward), count<ExpertExchange>(a.forward) + count<ExpertExchange>(a.backward));
    const auto* first = std::get_if<Kernel>(&b.backward.front());
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(first->op.recompute);
  }
}

TEST(Recompute, UpProjectionsGatherTheLatentsAgainUnderTp) {
  Case plain(deepseek_v3()), c(deepseek_v3());
  plain.settings.parallel.tp = c.settings.parallel.tp = 2;
  c.recompute(&Recompute::mla_up_proj);
  EXPECT_EQ(exchanged(c.lower().backward, CollectiveOp::all_gather, GroupKind::tp) -
                exchanged(plain.lower().backward, CollectiveOp::all_gather, GroupKind::tp),
            2 * 4096 * (1536 + 512 + 64));
}

}  // namespace
}  // namespace moesim
