// Work is conserved: what the kernels of a layer compute is what the architecture asks for, however it is cut.
#include <gtest/gtest.h>

#include "model/count.h"
#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

using Make = ModelSpec (*)();

class EveryFamily : public ::testing::TestWithParam<Make> {};

INSTANTIATE_TEST_SUITE_P(Block, EveryFamily,
                         ::testing::Values(llama_3_70b, mixtral_8x7b, deepseek_v3, deepseek_v2_lite, qwen3_30b, qwen2_57b,
                                           gpt_oss_window, llama_4_chunked, gated_attention, glm_5, latent_experts, longcat),
                         [](const auto& param) {
                           std::string name = param.param().name;
                           std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

/// Megatron's FLOPs of one token in the model's single layer, forward and backward.
double counted(const Case& c) {
  const double logits = 6.0 * static_cast<double>(c.model.hidden_size * padded_vocab(c.model.vocab_size, 1));
  return flops_per_token(c.model, c.settings.seq_length) - logits;
}

TEST_P(EveryFamily, ForwardTimesThreeIsMegatronsCount) {
  Case c(GetParam()());
  const double forward = flops_in(c.lower().forward, c.balanced(), Pass::forward);
  EXPECT_NEAR(3 * forward / static_cast<double>(c.settings.tokens()) / counted(c), 1, 1e-3);
}

TEST_P(EveryFamily, LongerSequencesStillAgreeWithTheCount) {
  Case c(GetParam()(), 16384);
  const double forward = flops_in(c.lower().forward, c.balanced(), Pass::forward);
  EXPECT_NEAR(3 * forward / static_cast<double>(c.settings.tokens()) / counted(c), 1, 1e-3);
}

TEST_P(EveryFamily, BackwardRepeatsEveryMatrixProductOnceForInputsAndOnceForWeights) {
  Case c(GetParam()());
  const LayerProgram p = c.lower();
  std::map<std::string_view, double> forward, dgrad, wgrad;
  each_op(p.forward, c.balanced(), [&](const Op& op) { forward[op.label] += flops(op).count(); });
  each_op(p.backward, c.balanced(), [&](const Op& op) { (op.pass == Pass::wgrad ? wgrad : dgrad)[op.label] += flops(op).count(); });
  for (const auto& [label, f] : forward) {
    if (f == 0) continue;
    if (label == "attention" || label == "indexer scores") {
      // Scores again, then dV, dP, dQ, dK: 5 products instead of 2 where query and value heads are equally wide; between 2 and 3
      // otherwise.
      EXPECT_GE(dgrad[label] / f, 2.0) << label;
      EXPECT_LE(dgrad[label] / f, 3.0) << label;
    } else {
      EXPECT_DOUBLE_EQ(dgrad[label], f) << label;
      EXPECT_DOUBLE_EQ(wgrad[label], f) << label;
    }
  }
}

TEST(Flops, AttentionBackwardIsTwoAndAHalfForwards) {
  Case c(llama_3_70b());
  double forward = 0, backward = 0;
  const LayerProgram p = c.lower();
  each_op(p.forward, {}, [&](const Op& op) { forward += op.kind == OpKind::attention ? flops(op).count() : 0; });
  each_op(p.backward, {}, [&](const Op& op) { backward += op.kind == OpKind::attention ? flops(op).count() : 0; });
  // 2 (QK, PV) x 2 x 64 heads x 128 x 4096^2 / 2
  EXPECT_DOUBLE_EQ(forward, 2 * 2.0 * 64 * 128 * 4096 * 4096 / 2);
  EXPECT_DOUBLE_EQ(backward, 2.5 * forward);
}

class TensorParallel : public ::testing::TestWithParam<std::tuple<Make, std::int64_t>> {};

INSTANTIATE_TEST_SUITE_P(Block, TensorParallel,
                         ::testing::Combine(::testing::Values(llama_3_70b, mixtral_8x7b, deepseek_v3, deepseek_v2_lite, longcat),
                                            ::testing::Values(2, 4, 8)));

TEST_P(TensorParallel, FlopsSummedOverTheRanksStayTheSame) {
  const auto [make, tp] = GetParam();
  Case whole(make()), cut(make());
  cut.settings.parallel.tp = tp;
  for (const Pass pass : {Pass::forward, Pass::dgrad, Pass::wgrad}) {
    const LayerProgram a = whole.lower(), b = cut.lower();
    const double one = flops_in(pass == Pass::forward ? a.forward : a.backward, whole.balanced(), pass);
    const double rank = flops_in(pass == Pass::forward ? b.forward : b.backward, cut.balanced(), pass);
    EXPECT_DOUBLE_EQ(rank * static_cast<double>(tp), one);
  }
}

TEST_P(TensorParallel, TheHeadIsCutOverThePaddedVocabulary) {
  const auto [make, tp] = GetParam();
  Case c(make());
  c.settings.parallel.tp = tp;
  const double rank = flops_in(lower_head(c.settings).forward, {}, Pass::forward);
  EXPECT_DOUBLE_EQ(rank * static_cast<double>(tp),
                   2.0 * static_cast<double>(c.settings.tokens() * c.model.hidden_size * padded_vocab(c.model.vocab_size, tp)));
}

TEST(Flops, ExpertTensorParallelismTradesCopiesForWidth) {
  // 2 peers compute each other's copies with half the width each: the same work a rank.
  Case one(mixtral_8x7b()), two(mixtral_8x7b());
  two.settings.parallel.etp = 2;
  const double a = flops_in(one.lower().forward, one.balanced(), Pass::forward);
  const double b = flops_in(two.lower().forward, two.balanced(), Pass::forward);
  EXPECT_DOUBLE_EQ(a, b);
}

TEST(Flops, MultiTokenPredictionIsALayerAndAProjection) {
  Case c(deepseek_v3());
  c.model.mtp_layers = 1;
  const double h = 7168, tokens = 4096;
  const double layer = flops_in(c.lower().forward, c.balanced(), Pass::forward);
  const double mtp = flops_in(lower_mtp(c.settings).forward, c.balanced(), Pass::forward);
  EXPECT_DOUBLE_EQ(mtp - layer, tokens * 2 * 2 * h * h);
}

TEST(Flops, RaisingEpLeavesAttentionAsItIs) {
  Case one(deepseek_v3()), many(deepseek_v3());
  many.settings.parallel.ep = 64;
  const auto mixer = [](const NodeList& nodes) {  // up to the residual after attention
    std::vector<Op> ops;
    for (const Node& n : nodes) {
      const auto* k = std::get_if<Kernel>(&n);
      EXPECT_NE(k, nullptr);
      ops.push_back(k->op);
      if (k->op.label == "residual") break;
    }
    return ops;
  };
  const std::vector<Op> a = mixer(one.lower().forward), b = mixer(many.lower().forward);
  EXPECT_EQ(a, b);
  EXPECT_GT(a.size(), 10u);
}

}  // namespace
}  // namespace moesim
