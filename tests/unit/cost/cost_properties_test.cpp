// Laws that hold on every shipped machine, on random shapes.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "cost/cost_model.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;
constexpr std::uint64_t kSeed = 20260417;
constexpr int kDraws = 300;

// A size from 1 to 2^bits, evenly over its logarithm.
std::int64_t size(RandomStream& random, int bits) {
  const auto shift = static_cast<int>(random() % static_cast<std::uint64_t>(bits));
  return (std::int64_t{1} << shift) + static_cast<std::int64_t>(random() % (std::uint64_t{1} << shift));
}

Op draw(RandomStream& random, OpKind kind) {
  Op op;
  op.kind = kind;
  op.pass = static_cast<Pass>(random() % 3);
  op.m = size(random, 31), op.n = size(random, 16), op.k = size(random, 16);
  if (kind == OpKind::grouped_gemm) op.groups = size(random, 10), op.busiest = random() % 2 == 0 ? 0 : size(random, 20);
  if (kind == OpKind::attention) {
    op.pass = random() % 2 == 0 ? Pass::forward : Pass::dgrad;
    op.groups = size(random, 6), op.seq = size(random, 20), op.heads = size(random, 7), op.kv_heads = 1;
    op.qk_dim = size(random, 8), op.v_dim = size(random, 8), op.window = random() % 2 == 0 ? 0 : size(random, 12);
  }
  op.traffic = Bytes{size(random, 45)};
  op.kernels = static_cast<std::uint32_t>(1 + random() % 40);
  return op;
}

class EveryMachine : public ::testing::TestWithParam<std::string> {
 protected:
  const CostModel model_{load_hw_profile(GetParam(), kData)};
  // Runs `check(op, random)` on kDraws ops of `kind`.
  template <class Check>
  void each(OpKind kind, const Check& check) {
    RandomStream random(kSeed, name(kind), {});
    for (int i = 0; i < kDraws; ++i) {
      const Op op = draw(random, kind);
      check(op, random);
      if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "seed " << kSeed << " draw " << i << " of " << name(kind);
    }
  }
};

TEST_P(EveryMachine, CostsArePositiveAndBounded) {
  for (std::size_t kind = 0; kind < kOpKinds; ++kind)
    each(static_cast<OpKind>(kind), [&](const Op& op, RandomStream&) {
      EXPECT_GT(model_.cost(op).time, Time{0});
      EXPECT_LE(model_.cost(op).time, kLongestTime);
    });
}

TEST_P(EveryMachine, MoreColumnsOrReductionNeverCostLess) {
  for (const OpKind kind : {OpKind::gemm, OpKind::grouped_gemm})
    each(kind, [&](const Op& op, RandomStream& random) {
      for (std::int64_t Op::*dimension : {&Op::n, &Op::k}) {
        Op larger = op;
        larger.*dimension += size(random, 12);
        EXPECT_LE(model_.cost(op).time, model_.cost(larger).time + kPicosecond);   // the last bits between two points
      }
    });
}

// Measured multiplications have cliffs: tiles fit one number of rows better than another.
TEST_P(EveryMachine, MoreRowsNeverCostLessInTheClosedForm) {
  const CostModel form(load_hw_profile(GetParam(), kData), Clocks::sustained, Kernels::closed_form);
  for (const OpKind kind : {OpKind::gemm, OpKind::grouped_gemm})
    each(kind, [&](const Op& op, RandomStream& random) {
      Op larger = op;
      larger.m += size(random, 12);
      EXPECT_LE(form.cost(op).time, form.cost(larger).time);
    });
}

TEST_P(EveryMachine, MoreBytesNeverCostLess) {
  for (const OpKind kind : {OpKind::memory_bound, OpKind::router, OpKind::permute, OpKind::cast, OpKind::optimizer, OpKind::embedding,
                            OpKind::cross_entropy})
    each(kind, [&](const Op& op, RandomStream& random) {
      Op larger = op;
      larger.traffic += Bytes{size(random, 30)};
      EXPECT_LE(model_.cost(op).time, model_.cost(larger).time);
    });
}

TEST_P(EveryMachine, LongerSequencesMoreHeadsAndMoreSequencesNeverCostLessInTheClosedForm) {
  const CostModel form(load_hw_profile(GetParam(), kData), Clocks::sustained, Kernels::closed_form);
  each(OpKind::attention, [&](const Op& op, RandomStream& random) {
    for (std::int64_t Op::*dimension : {&Op::seq, &Op::heads, &Op::groups, &Op::qk_dim, &Op::v_dim}) {
      Op larger = op;
      larger.*dimension += size(random, 6);
      const Time less = form.cost(op).time;
      // Below head size 64 the time does not depend on the head size, so the last bits may fall either way.
      EXPECT_LE(less, form.cost(larger).time + kPicosecond + Time{less.count() >> 40});
    }
  });
}

// Heads of one size run the timed kernel; others another one. Here every key/value head stays with its share of query heads. Ratios to the
// form bend from one timed case to the next, so that a little more work, or any that a launch hides, may take a little less.
TEST_P(EveryMachine, LongerSequencesWiderHeadsAndMoreOfThemCostHardlyLess) {
  constexpr double kHardly = 1.01;
  each(OpKind::attention, [&](Op op, RandomStream& random) {
    op.v_dim = op.qk_dim;
    const double less = seconds(model_.cost(op).time);
    for (int what = 0; what < 4; ++what) {
      Op larger = op;
      const std::int64_t more = size(random, 6);
      if (what == 0) larger.seq += more;
      if (what == 1) larger.groups += more;
      if (what == 2) larger.heads *= more, larger.kv_heads *= more;
      if (what == 3) larger.qk_dim += more, larger.v_dim += more;
      EXPECT_LE(less, kHardly * seconds(model_.cost(larger).time)) << what;
    }
  });
}

TEST_P(EveryMachine, BurstClocksAreNeverSlower) {
  const CostModel burst(load_hw_profile(GetParam(), kData), Clocks::burst);
  for (std::size_t kind = 0; kind < kOpKinds; ++kind)
    each(static_cast<OpKind>(kind), [&](const Op& op, RandomStream&) { EXPECT_LE(burst.cost(op).time, model_.cost(op).time); });
}

TEST_P(EveryMachine, NeverComputesFasterThanItsPeakOrReadsFasterThanItsMemory) {
  const HwProfile p = load_hw_profile(GetParam(), kData);
  const CostModel burst(p, Clocks::burst);
  for (const OpKind kind : {OpKind::gemm, OpKind::grouped_gemm, OpKind::attention})
    each(kind, [&](const Op& op, RandomStream&) {
      const double t = seconds(burst.cost(op).time);
      EXPECT_LE(flops(op).count(), t * p.gpu.peak.at(DType::bf16).value.count());
      EXPECT_LE(static_cast<double>(traffic(op).count()), t * p.gpu.memory_bandwidth.value.count());
    });
}

TEST_P(EveryMachine, TwoToTheThirtyOneTokensFitIntoAGemmAndAreTooLongForAttention) {
  Op op;
  op.kind = OpKind::attention, op.seq = std::int64_t{1} << 31, op.heads = op.kv_heads = 128, op.qk_dim = op.v_dim = 128;
  EXPECT_THROW(model_.cost(op), TooLong);
  op.kind = OpKind::gemm, op.m = std::int64_t{1} << 31, op.n = op.k = 16384;
  EXPECT_LT(model_.cost(op).time, kLongestTime);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMachine, ::testing::ValuesIn(hw_profile_names(kData)), [](const auto& instance) {
  std::string out = instance.param;
  for (char& c : out) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
});

}  // namespace
}  // namespace moesim
