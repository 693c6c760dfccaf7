// Tables of training kernels: what their shapes mean.
#include <gtest/gtest.h>

#include "base/error.h"
#include "calibration/kernel_tables.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

std::vector<TimedSeries> series(const std::string& op, const std::string& shape, const HwProfile& hw) {
  const CsvTable t = CsvTable::parse("system,op,shape,peak_tflops,efficiency\nb200," + op + "," + shape + ",2250,0.5\n", "training.csv");
  return kernel_tables().make("training")->series(t, "b200", hw);
}

class TrainingTable : public ::testing::Test {
 protected:
  const HwProfile hw_ = load_hw_profile("b200-simumax", kData);
  const CostModel model_{hw_};

  void expect(const std::string& op, const std::string& shape, const std::string& kernel, const Op& meant, double counted) {
    const std::vector<TimedSeries> all = series(op, shape, hw_);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].kernel, kernel);
    EXPECT_DOUBLE_EQ(all[0].rows.at(0).closed_form, seconds(model_.cost(meant).time));
    EXPECT_DOUBLE_EQ(all[0].rows[0].seconds, counted / (0.5 * 2250e12));
  }
};

Op gemm(Pass pass, std::int64_t m, std::int64_t n, std::int64_t k) {
  Op op;
  op.kind = OpKind::gemm, op.pass = pass, op.m = m, op.n = n, op.k = k;
  return op;
}

TEST_F(TrainingTable, LayoutsArePasses) {
  const double flops = 2.0 * 4096 * 8192 * 10240;
  expect("matmul", "b=1; m=4096; k=8192; n=10240; layout=TN", "gemm forward", gemm(Pass::forward, 4096, 10240, 8192), flops);
  expect("matmul", "b=1; m=4096; k=10240; n=8192; layout=NN", "gemm dgrad", gemm(Pass::dgrad, 4096, 8192, 10240), flops);
  expect("matmul", "b=1; m=10240; k=4096; n=8192; layout=NT", "gemm wgrad", gemm(Pass::wgrad, 10240, 8192, 4096), flops);
}

TEST_F(TrainingTable, GroupsHaveMRowsEachAndInputGradientsSwapTheirSides) {
  Op op = gemm(Pass::dgrad, 20 * 1232, 5120, 3072);
  op.kind = OpKind::grouped_gemm, op.groups = 20;
  expect("group_matmul", "ng=20; M=1232; N=3072; K=5120; stage=bwd_grad_act", "grouped_gemm dgrad", op, 2.0 * 20 * 1232 * 3072 * 5120);
}

TEST_F(TrainingTable, AttentionIsCountedWithoutItsCausalHalf) {
  Op op;
  op.kind = OpKind::attention, op.seq = 4096, op.heads = 64, op.kv_heads = 8, op.qk_dim = op.v_dim = 128;
  expect("sdp_fwd", "batch=1; seq_len=4096; head_num=64; kv_head_num=8; qk_head_dim=128; v_head_dim=128", "attention forward", op, 4.0 * 64 * 4096.0 * 4096 * 128);
}

TEST_F(TrainingTable, AShapeThatIsNoneIsOneLine) {
  const auto error = [&](const std::string& shape) -> std::string {
    try {
      (void)series("matmul", shape, hw_);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error("m=4096; k=8192; layout=TN"), "training.csv:2: shape: found \"m=4096; k=8192; layout=TN\", allowed is n=...; ...");
  EXPECT_EQ(error("m=0; k=1; n=1; layout=TN"), "training.csv:2: shape: found \"m=0; k=1; n=1; layout=TN\", allowed is an integer from 1 to 67108864 as m");
  EXPECT_EQ(error("m=1; k=1; n=1; layout=TT"), "training.csv:2: shape: found \"m=1; k=1; n=1; layout=TT\", allowed is TN, NN, NT as layout");
}

}  // namespace
}  // namespace moesim
