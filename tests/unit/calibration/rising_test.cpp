#include "calibration/rising.h"

#include <gmock/gmock.h>


namespace moesim {
namespace {

using ::testing::ElementsAre;

TEST(Rising, LeavesWhatRises) { EXPECT_THAT(rising(std::vector<double>{1, 1, 2, 5}), ElementsAre(1, 1, 2, 5)); }
TEST(Rising, PoolsWhatFalls) { EXPECT_THAT(rising(std::vector<double>{1, 4, 2, 3, 9}), ElementsAre(1, 3, 3, 3, 9)); }
TEST(Rising, OfAFallIsItsMean) { EXPECT_THAT(rising(std::vector<double>{3, 2, 1}), ElementsAre(2, 2, 2)); }
TEST(Rising, OfNothingIsNothing) { EXPECT_THAT(rising({}), ElementsAre()); }

TEST(RisingByMedians, LeavesWhatRises) { EXPECT_THAT(rising_by_medians(std::vector<double>{1, 1, 2, 5}), ElementsAre(1, 1, 2, 5)); }
TEST(RisingByMedians, OneFarOffMovesNoOther) { EXPECT_THAT(rising_by_medians(std::vector<double>{17, 6, 7, 8, 9}), ElementsAre(6, 6, 7, 8, 9)); }
TEST(RisingByMedians, PoolsUntilTheMediansRise) {
  EXPECT_THAT(rising_by_medians(std::vector<double>{5, 9, 6, 6, 12}), ElementsAre(5, 6, 6, 6, 12));
  EXPECT_THAT(rising_by_medians(std::vector<double>{3, 2, 1}), ElementsAre(2, 2, 2));
  EXPECT_THAT(rising_by_medians({}), ElementsAre());
}

TEST(RisingMatrix, RisesBothWaysAndLeavesWhatDoes) {
  const std::vector<double> fine{1, 2, 3, 2, 4, 4};
  EXPECT_EQ(rising_matrix(fine, 2, 3), fine);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<double> m;
    for (std::uint64_t i = 0; i < 5 * 7; ++i) m.push_back(static_cast<double>((seed * 7919 + i * i * 104729) % 1009) / 100);
    const std::vector<double> out = rising_matrix(m, 5, 7);
    for (std::size_t r = 0; r < 5; ++r)
      for (std::size_t c = 0; c < 7; ++c) {
        EXPECT_GE(out[r * 7 + c], out[(r > 0 ? r - 1 : r) * 7 + c]) << seed;
        EXPECT_GE(out[r * 7 + c], out[r * 7 + (c > 0 ? c - 1 : c)]) << seed;
      }
  }
}

}  // namespace
}  // namespace moesim
