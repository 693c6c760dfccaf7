// Loose checks of shipped constants against published figures; how close the predictions are is scored elsewhere.
#include <gtest/gtest.h>

#include "cost/cost_model.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Op op;
  op.kind = OpKind::gemm, op.m = m, op.n = n, op.k = k;
  return op;
}

double teraflops(const CostModel& model, const Op& op) { return flops(op).count() / seconds(model.cost(op).time) * 1e-12; }

TEST(Machines, ALargeHopperGemmSustainsTwoThirdsOfPeakAndBurstsHigher) {
  for (const char* name : {"dgx-h100", "h800-deepseek", "dgx-h200", "aws-p5-h100"}) {
    const HwProfile p = load_hw_profile(name, kData);
    const double sustained = teraflops(CostModel(p), gemm(16384, 8192, 8192)), burst = teraflops(CostModel(p, Clocks::burst), gemm(16384, 8192, 8192));
    EXPECT_GT(sustained, 0.60 * 989) << name;
    EXPECT_LT(sustained, 0.70 * 989) << name;
    EXPECT_GT(burst, 0.75 * 989) << name;
    EXPECT_LT(burst, 0.80 * 989) << name;
  }
}

// TFLOP/s of a bf16 GEMM, n 4096, k 7168, by ai-dynamo/aiconfigurator (Apache-2.0). The m = 64 row is read in memory-bound territory.
struct Row {
  std::int64_t m;
  double teraflops;
};

TEST(Machines, BurstGemmsOfH100ComeNearTheMeasuredOnes) {
  const CostModel model(load_hw_profile("dgx-h100", kData), Clocks::burst);
  for (const Row row : {Row{64, 133}, Row{128, 283}, Row{256, 490}, Row{512, 712}, Row{1024, 774}, Row{2048, 789}, Row{4096, 759}, Row{8192, 807}})
    EXPECT_NEAR(teraflops(model, gemm(row.m, 4096, 7168)) / row.teraflops, 1, 0.25) << "m " << row.m;
}

TEST(Machines, BurstGemmsOfA100ComeNearTheMeasuredOnes) {
  const CostModel model(load_hw_profile("dgx-a100", kData), Clocks::burst);
  for (const Row row : {Row{64, 74}, Row{128, 139}, Row{512, 215}, Row{1024, 211}, Row{2048, 228}, Row{4096, 278}, Row{8192, 259}})
    EXPECT_NEAR(teraflops(model, gemm(row.m, 4096, 7168)) / row.teraflops, 1, 0.25) << "m " << row.m;
}

// DeepSeek-V3 attention by arXiv 2603.07685: 553 / 422 TFLOP/s at 4k forward / backward, 638 / 523 at 16k on Hopper.
TEST(Machines, BurstAttentionOfHopperComesNearThePublishedRates) {
  const CostModel model(load_hw_profile("dgx-h100", kData), Clocks::burst);
  Op op;
  op.kind = OpKind::attention, op.heads = op.kv_heads = 128, op.qk_dim = 192, op.v_dim = 128;
  op.seq = 4096;
  EXPECT_NEAR(teraflops(model, op), 553, 28);
  op.pass = Pass::dgrad;
  EXPECT_NEAR(teraflops(model, op), 422, 22);
  op.seq = 16384;
  EXPECT_NEAR(teraflops(model, op), 523, 27);
  op.pass = Pass::forward;
  EXPECT_NEAR(teraflops(model, op), 638, 32);
}

TEST(Machines, TheSameGemmIsSlowerOnGh200UnderLoadThanOnH100) {
  EXPECT_LT(teraflops(CostModel(load_hw_profile("alps-gh200", kData)), gemm(8192, 8192, 8192)),
            teraflops(CostModel(load_hw_profile("dgx-h100", kData)), gemm(8192, 8192, 8192)));
}

}  // namespace
}  // namespace moesim
