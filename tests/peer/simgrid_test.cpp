// The engine's fluid solver against SimGrid's, on the same random networks and flows.
#include <gtest/gtest.h>

#include <algorithm>

#include "peer/flows.h"

namespace moesim::peer {
namespace {

void expect_equal_ends(std::uint64_t seed, const Shape& shape) {
  const Network n = random_network(seed, shape);
  const Ends ours = by_engine(n), theirs = by_simgrid(n, shape.latency_ns == 0);
  for (std::size_t i = 0; i < n.flows.size(); ++i) {
    const double start = static_cast<double>(n.flows[i].start_us) * 1e-6;
    ASSERT_GE(ours.seconds[i] - start, 0.00999) << "seed " << seed << ", flow " << i;
    ASSERT_NEAR((ours.seconds[i] - start) / (theirs.seconds[i] - start), 1, 1e-3) << "seed " << seed << ", flow " << i;
  }
}

TEST(SimGrid, EndsTheSameFlowsAtTheSameTimes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto s = static_cast<std::uint32_t>(seed);
    expect_equal_ends(seed, {2 + s % 12, s % 9, 4 + s % 30, 10 + 2 * s, 5 * s, 0, false, seed % 4 == 0});
  }
}

TEST(SimGrid, EndsAThousandFlowsAtTheSameTimes) { expect_equal_ends(7, {24, 24, 64, 200, 1000, 0, false, true}); }

TEST(SimGrid, WouldNoticeALinkThatIsATenthFaster) {
  Network n = random_network(3, {6, 4, 12, 30, 60, 0, false, true});
  const Ends theirs = by_simgrid(n);
  for (std::int64_t& c : n.capacity) c += c / 10;
  const Ends ours = by_engine(n);
  for (std::size_t i = 0; i < n.flows.size(); ++i) EXPECT_NEAR(theirs.seconds[i] / ours.seconds[i], 1.1, 1e-3);
}

TEST(SimGrid, StartsAFlowWhenItsFirstByteHasArrivedAsWeDo) {
  // One flow: both take the latency of its route and then its bytes on the narrowest link.
  Network n = random_network(5, {6, 4, 12, 1, 1, 200'000, false, true});
  EXPECT_NEAR(by_engine(n).seconds[0] / by_simgrid(n).seconds[0], 1, 1e-6);
}

TEST(SimGrid, AgreesWithLatencyWhereAllRoutesHaveTheSame) {
  // CM02 shares in proportion to 1 / latency of the route, we share alike: README.md.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_equal_ends(seed, {8, 6, 16, 40, 80, 100'000, true, true});
}

}  // namespace
}  // namespace moesim::peer
