#include "analysis/waterfall.h"

#include <gtest/gtest.h>

#include <set>

namespace moesim {
namespace {

// Each class gets a power of two, so that a class that is missing or counted twice changes the sum.
TEST(Waterfall, EveryClassIsInExactlyOneBar) {
  std::array<double, kTimeClasses> time{};
  double total = 0;
  for (std::size_t c = 0; c < kTimeClasses; ++c) total += time[c] = static_cast<double>(1u << c);
  double sum = 0;
  for (const Bar& b : waterfall(time, {0.5, 1, 1.5, 0.5})) sum += b.seconds;
  EXPECT_EQ(sum, total);
}

TEST(Waterfall, StartsAtThePeakOfEachFormatAndSaysWhatKernelsLose) {
  std::array<double, kTimeClasses> time{};
  time[static_cast<std::size_t>(TimeClass::gemm)] = 10;
  SecondsByType at_peak{};
  at_peak[static_cast<std::size_t>(DType::bf16)] = 4;
  at_peak[static_cast<std::size_t>(DType::fp8)] = 2;
  const auto seconds = [bars = waterfall(time, at_peak)](std::string_view name) {
    for (const Bar& b : bars)
      if (b.name == name) return b.seconds;
    return -1.0;
  };
  EXPECT_EQ(seconds("bf16 matrix work at peak"), 4);
  EXPECT_EQ(seconds("fp8 matrix work at peak"), 2);
  EXPECT_EQ(seconds("matrix kernels below peak"), 4);
}

TEST(TimeClasses, HaveDistinctNames) {
  std::set<std::string_view> names;
  for (std::size_t c = 0; c < kTimeClasses; ++c) names.insert(name(static_cast<TimeClass>(c)));
  EXPECT_EQ(names.size(), kTimeClasses);
}

TEST(TimeClasses, WaitingForAnotherStageIsTheBubble) {
  EXPECT_EQ(waiting(TransferKind::pp), TimeClass::bubble);
  EXPECT_EQ(moving(TransferKind::pp), TimeClass::pp_transfer);
  EXPECT_EQ(waiting(TransferKind::ep_combine), TimeClass::ep_wait);
  EXPECT_EQ(waiting(TransferKind::grad_norm), TimeClass::bubble);  // it joins the stages of one pipeline
  EXPECT_EQ(waiting(TransferKind::grad_reduce), TimeClass::dp_wait);
}

TEST(TimeClasses, RepeatedForwardWorkIsRecomputationWhateverItDoes) {
  Op op;
  op.kind = OpKind::gemm;
  EXPECT_EQ(time_class(op), TimeClass::gemm);
  op.recompute = true;
  EXPECT_EQ(time_class(op), TimeClass::recompute);
}

}  // namespace
}  // namespace moesim
