// How many kernels each part launches. Published counts: README.md of sim/block.
#include <gtest/gtest.h>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

struct Launches {
  std::int64_t forward, backward;
  bool operator==(const Launches&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Launches& l) { return out << l.forward << " / " << l.backward; }
};

Launches launches(const LayerProgram& p) { return {kernels(p.forward), kernels(p.backward)}; }

Launches labelled(const LayerProgram& p, std::initializer_list<std::string_view> labels) {
  const auto sum = [&](const NodeList& nodes) {
    std::int64_t n = 0;
    each_op(nodes, {}, [&](const Op& op) { n += std::count(labels.begin(), labels.end(), op.label) ? op.kernels : 0; });
    return n;
  };
  return {sum(p.forward), sum(p.backward)};
}

ModelSpec dense_with(Part attention) { return model_of("dense", 7168, 1000, {std::move(attention), DenseMlp{18432}}); }

TEST(Kernels, ADenseGqaLayerLaunches13And20) {
  // norm, qkv, rotary x2, attention x2, out, residual, norm, fc1, activation, fc2, residual; backward 2 a GEMM, 3 for attention, 2
  // a norm
  EXPECT_EQ(launches(Case(llama_3_70b()).lower()), (Launches{13, 20}));
}

TEST(Kernels, QueryAndKeyNormsAdd2And4) {
  Gqa a = gqa(64, 8, 128);
  a.qk_norm = 256;
  EXPECT_EQ(launches(Case(dense_with(a)).lower()), (Launches{13 + 2, 20 + 4}));
}

TEST(Kernels, Fp8Adds2AGemmInEachDirection) {
  Case c(llama_3_70b());
  c.settings.precision.compute = DType::fp8;
  EXPECT_EQ(launches(c.lower()), (Launches{13 + 8, 20 + 8}));
}

TEST(Kernels, MlaAdds7And9) { EXPECT_EQ(launches(Case(dense_with(mla(128, 1536))).lower()), (Launches{13 + 7, 20 + 9})); }

TEST(Kernels, TensorParallelismAddsTransfersAndNoKernels) {
  Case c(llama_3_70b());
  c.settings.parallel.tp = 4;
  EXPECT_EQ(launches(c.lower()), (Launches{13, 20}));
}

TEST(Kernels, TheRouterLaunches14And21FusedAnd72TogetherUnfused) {
  Case c(mixtral_8x7b());
  EXPECT_EQ(labelled(c.lower(), {"router", "router logits"}), (Launches{14, 21}));
  c.stack.router_fusion = false;
  const Launches unfused = labelled(c.lower(), {"router", "router logits"});
  EXPECT_EQ(unfused.forward + unfused.backward, 72);
}

TEST(Kernels, PermutationLaunches8FusedAnd16Unfused) {
  const std::initializer_list<std::string_view> moves{"permute", "unpermute", "sort by expert", "unsort"};
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  c.dispatcher = FlagDispatcher(false, true);  // one copy per rank is sent: the only permutation is on the experts' side
  EXPECT_EQ(labelled(c.lower(), moves), (Launches{8, 8}));
  c.stack.permute_fusion = false;
  EXPECT_EQ(labelled(c.lower(), moves), (Launches{16, 16}));
}

TEST(Kernels, TheTwoStageExchangeSortsByLocalExpertToo) {
  const std::initializer_list<std::string_view> sorts{"sort by expert", "unsort"};
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  EXPECT_EQ(labelled(c.lower(), {"permute", "unpermute"}), (Launches{8, 8}));
  EXPECT_EQ(labelled(c.lower(), sorts), (Launches{4, 4}));
  c.settings.parallel.ep = 8;  // one local expert: nothing to sort
  EXPECT_EQ(labelled(c.lower(), sorts), (Launches{0, 0}));
  c.settings.parallel.ep = 1;  // nothing came from elsewhere
  EXPECT_EQ(labelled(c.lower(), sorts), (Launches{0, 0}));
}

TEST(Kernels, GroupedGemmsLaunch4And6) {
  EXPECT_EQ(labelled(Case(mixtral_8x7b()).lower(), {"expert fc1", "expert fc2"}), (Launches{4, 6}));
}

TEST(Kernels, Fp8ExpertsAdd2APerLocalExpert) {
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 2;  // 4 local experts
  c.settings.precision.compute = DType::fp8;
  EXPECT_EQ(labelled(c.lower(), {"expert fc1", "expert fc2"}), (Launches{4 + 8, 6 + 8}));
}

TEST(Kernels, ASharedExpertLaunches3And5) {
  EXPECT_EQ(labelled(Case(deepseek_v3()).lower(), {"shared fc1", "shared activation", "shared fc2"}), (Launches{3, 5}));
}

TEST(Kernels, MoeLayersStayInThePublishedRange) {
  // 40-65 forward, 54-82 backward: from GQA without a shared expert to MLA with one, fused or not.
  for (const auto make : {qwen3_30b, deepseek_v3}) {
    Case c(make());
    c.settings.parallel.ep = 8;
    const Launches l = launches(c.lower());
    EXPECT_GE(l.forward, 40);
    EXPECT_LE(l.forward, 65);
    EXPECT_GE(l.backward, 54);
    EXPECT_LE(l.backward, 82);
  }
}

TEST(Kernels, PostNormsAddALaunchAndTheirBackwardTwo) {
  ModelSpec m = llama_3_70b();
  m.kinds[0].norms = 4;
  EXPECT_EQ(launches(Case(m).lower()), (Launches{13 + 2, 20 + 4}));
}

TEST(Kernels, AShortcutUnitHasNoNormOfItsOwn) { EXPECT_EQ(labelled(Case(longcat()).lower(), {"norm"}), (Launches{4, 8})); }

TEST(Kernels, TheLossHeadLaunchesLogitsAndCrossEntropy) {
  Case c(llama_3_70b());
  c.stack.cross_entropy_fusion = false;
  const LayerProgram p = lower_head(c.settings);
  EXPECT_EQ(labelled(p, {"logits"}), (Launches{1, 2}));
  EXPECT_EQ(labelled(p, {"cross-entropy"}), (Launches{6, 8}));
  c.stack.cross_entropy_fusion = true;
  EXPECT_EQ(labelled(lower_head(c.settings), {"cross-entropy"}), (Launches{2, 1}));
}

TEST(Kernels, UnfusedCrossEntropyMoves18BytesALogit) {
  Case c(llama_3_70b());
  c.stack.cross_entropy_fusion = false;
  const LayerProgram p = lower_head(c.settings);
  std::int64_t bytes = 0;
  for (const NodeList* nodes : {&p.forward, &p.backward})
    each_op(*nodes, {}, [&](const Op& op) { bytes += op.kind == OpKind::cross_entropy ? op.traffic.count() : 0; });
  EXPECT_EQ(bytes, 18 * 4096LL * 128256);
}

TEST(Kernels, MemoryBoundTrafficOfADenseLayer) {
  // Bytes a token: norms 2 x 4h, rotary (64 + 8) x 128 x 4, residuals 2 x 6h, gated unit 6f; backward 2 x 8h, the same rotary, 2 x
  // 6h, 10f.
  Case c(llama_3_70b());
  const LayerProgram p = c.lower();
  const auto bytes = [](const NodeList& nodes) {
    std::int64_t sum = 0;
    each_op(nodes, {}, [&](const Op& op) { sum += op.kind == OpKind::memory_bound ? op.traffic.count() : 0; });
    return sum / 4096;
  };
  EXPECT_EQ(bytes(p.forward), 8 * 8192 + 72 * 128 * 4 + 12 * 8192 + 6 * 28672);
  EXPECT_EQ(bytes(p.backward), 16 * 8192 + 72 * 128 * 4 + 12 * 8192 + 10 * 28672);
}

TEST(Kernels, Fp8QuantisesEveryGemmInputAndOutputGradientAt6BytesAnElement) {
  Case c(llama_3_70b());
  c.settings.precision.compute = DType::fp8;
  const LayerProgram p = c.lower();
  const auto bytes = [](const NodeList& nodes) {
    std::int64_t sum = 0;
    each_op(nodes, {}, [&](const Op& op) { sum += op.kind == OpKind::cast ? op.traffic.count() : 0; });
    return sum / 4096;
  };
  EXPECT_EQ(bytes(p.forward), 6 * (8192 + 8192 + 8192 + 28672));           // inputs of qkv, out, fc1, fc2
  EXPECT_EQ(bytes(p.backward), 6 * (8192 + 2 * 28672 + 8192 + 80 * 128));  // gradients of fc2, fc1, out, qkv
}

TEST(Kernels, OnlyLinearLayersRunInFp8) {
  Case c(deepseek_v3());
  c.settings.precision.compute = DType::fp8;
  each_op(c.lower().forward, c.balanced(), [](const Op& op) {
    if (op.kind != OpKind::gemm && op.kind != OpKind::grouped_gemm) return;
    EXPECT_EQ(op.dtype, op.label == "router logits" ? DType::bf16 : DType::fp8) << op.label;
  });
  each_op(lower_head(c.settings).forward, {}, [](const Op& op) { EXPECT_EQ(op.dtype, DType::bf16) << op.label; });
}

}  // namespace
}  // namespace moesim
