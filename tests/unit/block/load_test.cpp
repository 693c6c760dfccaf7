// Expert kernels follow the rank's load.
#include <gtest/gtest.h>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

ExpertKernel kernel(const NodeList& nodes, std::string_view label, OpKind kind, Pass pass = Pass::forward) {
  for (const Node& n : nodes)
    if (const auto* k = std::get_if<ExpertKernel>(&n); k && k->op.label == label && k->op.kind == kind && k->op.pass == pass)
      return *k;
  ADD_FAILURE() << "no kernel " << label;
  return {};
}

TEST(ExpertLoad, GroupedGemmRowsAreTheComputedCopiesOverTheTouchedExperts) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 32;  // 8 local experts
  const Op op = at_load(kernel(c.lower().forward, "expert fc1", OpKind::grouped_gemm), RankLoad{3000, 2900, 700, 6});
  EXPECT_EQ(op.m, 3000);
  EXPECT_EQ(op.n, 2 * 2048);
  EXPECT_EQ(op.k, 7168);
  EXPECT_EQ(op.groups, 6);
  // rows in 3000 x 7168, out 3000 x 4096, weights of six experts, all in bf16
  EXPECT_EQ(traffic(op), Bytes{2 * (3000 * 7168 + 3000 * 4096 + 6 * 7168 * 4096)});
}

TEST(ExpertLoad, InputGradientsSwapTheWidthsAndWeightGradientsKeepThem) {
  Case c(deepseek_v3());
  const NodeList backward = c.lower().backward;
  const Op dgrad = kernel(backward, "expert fc2", OpKind::grouped_gemm, Pass::dgrad).op;
  const Op wgrad = kernel(backward, "expert fc2", OpKind::grouped_gemm, Pass::wgrad).op;
  EXPECT_EQ(std::pair(dgrad.n, dgrad.k), std::pair(std::int64_t{2048}, std::int64_t{7168}));
  EXPECT_EQ(std::pair(wgrad.n, wgrad.k), std::pair(std::int64_t{7168}, std::int64_t{2048}));
}

TEST(ExpertLoad, ARankWithoutTokensStillLaunchesEverything) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 32;
  for (const Node& n : c.lower().forward) {
    const auto* k = std::get_if<ExpertKernel>(&n);
    if (k == nullptr) continue;
    const Op op = at_load(*k, RankLoad{});
    EXPECT_EQ(op.kernels, k->op.kernels);
    if (op.kind == OpKind::grouped_gemm) {
      EXPECT_EQ(std::pair(op.m, op.groups), std::pair(std::int64_t{1}, std::int64_t{1}));
    } else {
      EXPECT_EQ(op.traffic, Bytes{1});
    }
  }
}

TEST(ExpertLoad, ArrivingCopiesAreSortedAndComputedCopiesActivated) {
  Case c(mixtral_8x7b());
  c.settings.parallel.ep = 4;
  const NodeList forward = c.lower().forward;
  const RankLoad load{1500, 1000, 800, 2};  // padded from 1,000 to 1,500
  EXPECT_EQ(at_load(kernel(forward, "sort by expert", OpKind::permute), load).traffic, Bytes{4 * 4096 * 1000});
  EXPECT_EQ(at_load(kernel(forward, "expert activation", OpKind::memory_bound), load).traffic, Bytes{6 * 14336 * 1500});
}

TEST(ExpertLoad, EtpPeersComputeAllTheirCopiesOnAPartOfTheWidth) {
  Case c(mixtral_8x7b());
  c.settings.parallel.etp = 4;
  const Op op = at_load(kernel(c.lower().forward, "expert fc2", OpKind::grouped_gemm), RankLoad{1000, 1000, 300, 8});
  EXPECT_EQ(op.m, 4000);
  EXPECT_EQ(op.k, 14336 / 4);
  EXPECT_EQ(op.n, 4096);
}

TEST(ExpertLoad, TwiceTheCopiesAreTwiceTheFlops) {
  Case c(qwen3_30b());
  const NodeList forward = c.lower().forward;
  const Op one = at_load(kernel(forward, "expert fc1", OpKind::grouped_gemm), RankLoad{1000, 1000, 20, 128});
  const Op two = at_load(kernel(forward, "expert fc1", OpKind::grouped_gemm), RankLoad{2000, 2000, 40, 128});
  EXPECT_DOUBLE_EQ(flops(two).count(), 2 * flops(one).count());
}

Time host_work(const NodeList& nodes) {
  Time sum{0};
  for (const Node& n : nodes)
    if (const auto* w = std::get_if<HostWork>(&n)) sum += w->time;
  return sum;
}

TEST(ExpertLoad, HostLoopsOverLocalExpertsInEachDirection) {
  Case c(qwen3_30b());
  c.stack.host_per_local_expert.value = 2 * kMicrosecond;
  c.stack.host_per_local_expert_fp8.value = 3 * kMicrosecond;
  c.settings.host_factor = 1.5;
  c.settings.parallel.ep = 8;  // 16 local experts x 2 us x 1.5, in FP8 x 3 us
  EXPECT_EQ(host_work(c.lower().forward), 48 * kMicrosecond);
  EXPECT_EQ(host_work(c.lower().backward), 48 * kMicrosecond);
  c.settings.precision.compute = DType::fp8;
  EXPECT_EQ(host_work(c.lower().forward), 72 * kMicrosecond);
  EXPECT_EQ(host_work(c.lower().backward), 72 * kMicrosecond);
}

TEST(ExpertLoad, EveryPassOfAMoeLayerCostsHostTimeAndMoreWithTensorParallelism) {
  Case c(qwen3_30b());
  c.stack.host_per_moe_layer.value = 100 * kMicrosecond;
  c.stack.host_per_moe_layer_tp.value = 40 * kMicrosecond;
  EXPECT_EQ(host_work(c.lower().forward), 100 * kMicrosecond);
  EXPECT_EQ(host_work(c.lower().backward), 100 * kMicrosecond);
  c.settings.parallel.tp = 2;
  c.settings.sequence_parallel = true;
  EXPECT_EQ(host_work(c.lower().forward), 140 * kMicrosecond);
  EXPECT_EQ(host_work(c.lower().backward), 140 * kMicrosecond);
}

}  // namespace
}  // namespace moesim
