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
  for (const Bar& b : waterfall(time, 3.5)) sum += b.seconds;
  EXPECT_EQ(sum, total);
}

TEST(Waterfall, StartsAtThePeakAndSaysWhatKernelsLose) {
  std::array<double, kTimeClasses> time{};
  time[static_cast<std::size_t>(TimeClass::gemm)] = 10;
  const std::vector<Bar> bars = waterfall(time, 6);
  EXPECT_EQ(bars[0].seconds, 6);
  EXPECT_EQ(bars[1].name, "matrix kernels below peak");
  EXPECT_EQ(bars[1].seconds, 4);
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
