#include "model/op.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace moesim {
namespace {

Op gemm(Pass pass, DType dtype = DType::bf16) {
  Op op;
  op.kind = OpKind::gemm;
  op.pass = pass;
  op.dtype = dtype;
  op.m = 4096;
  op.n = 1024;
  op.k = 512;
  return op;
}

Op attention(Pass pass) {
  Op op;
  op.kind = OpKind::attention;
  op.pass = pass;
  op.groups = 2;
  op.seq = 1024;
  op.heads = 8;
  op.kv_heads = 2;
  op.qk_dim = 192;
  op.v_dim = 128;
  return op;
}

TEST(OpFlops, OfAGemmAreTwiceMNK) {
  for (Pass pass : {Pass::forward, Pass::dgrad, Pass::wgrad}) EXPECT_EQ(flops(gemm(pass)), Flops{2.0 * 4096 * 1024 * 512});
}

TEST(OpFlops, OfAGroupedGemmDoNotDependOnTheNumberOfGroups) {
  Op op = gemm(Pass::forward);
  op.kind = OpKind::grouped_gemm;
  op.groups = 16;
  EXPECT_EQ(flops(op), Flops{2.0 * 4096 * 1024 * 512});
}

TEST(OpFlops, OfAttentionAreTheCausalHalf) {
  // pairs: 2 sequences x 8 heads x 1024^2 / 2; forward 192 + 128 multiply-adds a pair, backward 3 x 192 + 2 x 128
  const double pairs = 2 * 8 * 1024.0 * 1024 / 2;
  EXPECT_EQ(flops(attention(Pass::forward)), Flops{2 * pairs * (192 + 128)});
  EXPECT_EQ(flops(attention(Pass::dgrad)), Flops{2 * pairs * (3 * 192 + 2 * 128)});
  EXPECT_EQ(flops(attention(Pass::wgrad)), Flops{0});
}

TEST(OpFlops, OfAttentionInAWindowLoseThePairsOutsideIt) {
  Op op = attention(Pass::forward);
  op.window = 1024;
  EXPECT_EQ(flops(op), flops(attention(Pass::forward)));
  op.window = 256;
  EXPECT_EQ(flops(op), Flops{2.0 * 2 * 8 * (1024 * 256 - 256 * 256 / 2) * (192 + 128)});
}

TEST(OpTraffic, OfAGemmAreItsOperandsAndItsResult) {
  const std::int64_t in = 4096 * 512 + 512 * 1024, out = 4096 * 1024;
  EXPECT_EQ(traffic(gemm(Pass::forward)), Bytes{2 * in + 2 * out});
  EXPECT_EQ(traffic(gemm(Pass::wgrad)), Bytes{2 * in + 8 * out});            // read and written in fp32
  EXPECT_EQ(traffic(gemm(Pass::forward, DType::fp8)), Bytes{in + 2 * out});  // result in bf16
  EXPECT_EQ(traffic(gemm(Pass::forward, DType::fp4)), Bytes{in / 2 + 2 * out});
  EXPECT_EQ(traffic(gemm(Pass::forward, DType::fp32)), Bytes{4 * in + 4 * out});
}

TEST(OpTraffic, OfAGroupedGemmReadEveryGroupsWeights) {
  Op op = gemm(Pass::forward);
  op.kind = OpKind::grouped_gemm;
  op.groups = 16;
  EXPECT_EQ(traffic(op), Bytes{2 * (4096 * 512 + 16 * 512 * 1024) + 2 * 4096 * 1024});
  op.pass = Pass::wgrad;
  EXPECT_EQ(traffic(op), Bytes{2 * (4096 * 512 + 4096 * 1024) + 8 * std::int64_t{16} * 512 * 1024});
}

TEST(OpTraffic, OfAttentionAreQueriesKeysValuesAndOutput) {
  // a token: q 8 x 192, k 2 x 192, v 2 x 128, output 8 x 128; backward reads all and the output's gradient, writes three gradients
  const std::int64_t tokens = 2 * 1024, in = 8 * 192 + 2 * 192 + 2 * 128, out = 8 * 128;
  EXPECT_EQ(traffic(attention(Pass::forward)), Bytes{2 * tokens * (in + out)});
  EXPECT_EQ(traffic(attention(Pass::dgrad)), Bytes{2 * tokens * (2 * in + 2 * out)});
}

TEST(OpTraffic, OfMemoryBoundKindsIsWhatTheOpSays) {
  Op op;
  op.kind = OpKind::permute;
  op.traffic = Bytes{12345};
  EXPECT_EQ(traffic(op), Bytes{12345});
  EXPECT_EQ(flops(op), Flops{0});
}

TEST(OpTraffic, PastThirtyTwoBitsIsExact) {
  Op op = gemm(Pass::forward);
  op.m = 1 << 20;
  op.n = op.k = 1 << 14;
  const std::int64_t in = (std::int64_t{1} << 34) + (std::int64_t{1} << 28), out = std::int64_t{1} << 34;
  EXPECT_EQ(traffic(op), Bytes{2 * in + 2 * out});
}

TEST(Traffic, OfWhatNoMachineHoldsIsStillANumber) {
  for (const Pass pass : {Pass::forward, Pass::wgrad}) {
    Op op = gemm(pass);
    op.m = op.n = op.k = std::int64_t{1} << 40;
    EXPECT_GE(traffic(op), Bytes{std::int64_t{1} << 61});
  }
}

TEST(OpKindNames, AreAllDifferentAndSet) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kOpKinds; ++i) names.insert(std::string(name(static_cast<OpKind>(i))));
  EXPECT_EQ(names.size(), kOpKinds);
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(name(OpKind::cross_entropy), "cross_entropy");
}

}  // namespace
}  // namespace moesim
