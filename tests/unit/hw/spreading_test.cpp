#include "hw/spreading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace moesim {
namespace {

/// Every way to hash `flows` to `links`.
double enumerated(std::size_t links, std::size_t flows) {
  std::vector<std::size_t> choice(flows, 0);
  double sum = 0, ways = 0;
  for (bool more = true; more;) {
    std::vector<std::size_t> on(links, 0);
    for (const std::size_t c : choice) ++on[c];
    sum += static_cast<double>(*std::max_element(on.begin(), on.end()));
    ++ways;
    std::size_t i = 0;
    while (i < flows && ++choice[i] == links) choice[i++] = 0;
    more = i < flows;
  }
  return sum / ways;
}

double drawn(std::size_t links, std::size_t flows) {
  std::mt19937 random(5);
  double sum = 0;
  constexpr int kTimes = 4000;
  for (int t = 0; t < kTimes; ++t) {
    std::vector<int> on(links, 0);
    for (std::size_t f = 0; f < flows; ++f) ++on[random() % links];
    sum += *std::max_element(on.begin(), on.end());
  }
  return sum / kTimes;
}

TEST(Spreading, TheFullestOfFewLinksIsWithinElevenPercentOfTheExpectation) {
  EXPECT_DOUBLE_EQ(enumerated(2, 2), 1.5);   // both on one link half of the time
  for (const std::size_t links : {2u, 3u, 4u})
    for (const std::size_t flows : {2u, 4u, 7u, 9u}) EXPECT_NEAR(expected_fullest(static_cast<double>(links), static_cast<double>(flows)) / enumerated(links, flows), 1, 0.11) << links << " " << flows;
}

TEST(Spreading, TheFullestOfManyLinksIsWithinFourPercentOfDraws) {
  for (const std::size_t links : {16u, 32u, 128u})
    for (const std::size_t flows : {16u, 64u, 256u, 1024u}) EXPECT_NEAR(expected_fullest(static_cast<double>(links), static_cast<double>(flows)) / drawn(links, flows), 1, 0.04) << links << " " << flows;
}

TEST(Spreading, IsAShareThatGrowsWithFlowsAndIsOneForOneLink) {
  EXPECT_EQ(hashed_share(1, 17), 1);
  double before = 0;
  for (const double flows : {32.0, 64.0, 256.0, 1024.0, 16384.0, 1e6, 1e8}) {
    const double share = hashed_share(32, flows);
    EXPECT_GT(share, before) << flows;
    EXPECT_LE(share, 1) << flows;
    before = share;
  }
  EXPECT_NEAR(before, 1, 0.002);
}

}  // namespace
}  // namespace moesim
