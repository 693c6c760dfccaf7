#include "base/statistics.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

TEST(Quantiles, AreLinearBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.1), 1);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

}  // namespace
}  // namespace moesim
