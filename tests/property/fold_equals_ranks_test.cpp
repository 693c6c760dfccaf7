// Simulating one actor a class of equal ranks takes the same picoseconds as simulating every rank.
#include <gtest/gtest.h>

#include "property/account_totals.h"
#include "property/random_scenario.h"

namespace moesim {
namespace {

constexpr std::int64_t kCases = 400;

/// What the cases met: a law that holds because nothing happens is no law.
struct Met {
  std::int64_t cases = 0, folded = 0, straddling = 0, contended = 0, interleaved = 0;
};

void expect_equal(const TrainScenario& s, const std::string& about, Met& met) {
  const test::Totals fold = test::totals(s, Detail::fold), ranks = test::totals(s, Detail::ranks);
  EXPECT_FALSE(fold.approximate) << about;
  EXPECT_EQ(fold.end.count(), ranks.end.count()) << about;
  for (std::size_t c = 0; c < kTimeClasses; ++c)
    EXPECT_EQ(fold.time[c], ranks.time[c]) << name(static_cast<TimeClass>(c)) << ", " << about;
  EXPECT_EQ(ranks.time[static_cast<std::size_t>(TimeClass::unattributed)], 0) << about;
  ++met.cases;
  met.folded += fold.actors < ranks.actors;
  met.straddling += s.parallel.ep * s.parallel.etp > s.hardware.scale_up.domain;
  met.contended += ranks.contended > 0;
  met.interleaved += s.parallel.vpp > 1;
}

TEST(Fold, EqualsRanksToThePicosecondWhereLoadIsBalanced) {
  Met met;
  for (std::uint64_t seed = 1; met.cases < kCases && !HasFailure(); ++seed) {
    ASSERT_LT(seed, 20 * kCases) << "hardly any random scenario is possible";
    const std::optional<TrainScenario> s = test::random_scenario(seed);
    if (s) expect_equal(*s, "seed " + std::to_string(seed) + ": " + test::random_scenario_text(seed), met);
  }
  EXPECT_GE(met.folded, 200);
  EXPECT_GE(met.straddling, 20);
  EXPECT_GE(met.contended, 40);
  EXPECT_GE(met.interleaved, 40);
}

/// The error of fold over random layouts with uneven loads; none where it does not say that it is approximate.
void expect_close(const std::string& law, std::uint64_t seeds) {
  const test::ScenarioLimits limits{128, law, true};
  int cases = 0, replicas = 0, exact = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::optional<TrainScenario> s = test::random_scenario(seed, limits);
    if (!s || s->model.moe() == nullptr) continue;
    ++cases;
    const test::Totals fold = test::totals(*s, Detail::fold), ranks = test::totals(*s, Detail::ranks);
    EXPECT_NEAR(seconds(fold.end) / seconds(ranks.end), 1, 0.02) << "seed " << seed << ": " << test::random_scenario_text(seed, limits);
    EXPECT_EQ(ranks.time[static_cast<std::size_t>(TimeClass::unattributed)], 0) << "seed " << seed;
    replicas += s->parallel.ep == 1 && fold.approximate;
    if (fold.approximate) continue;
    ++exact;
    EXPECT_EQ(fold.end.count(), ranks.end.count()) << "seed " << seed << ": " << test::random_scenario_text(seed, limits);
  }
  EXPECT_GE(cases, static_cast<int>(seeds) / 6);
  EXPECT_GE(replicas, 10);
  EXPECT_GE(exact, 10);
}

// Seed 463 is an expert-tensor group of 3 in nodes of 8: mirrored places hold other experts, so one draw cannot stand for both.
TEST(Fold, IsWithinTwoPercentOfRanksWhereLoadsAreRandom) { expect_close("multinomial", 500); }
TEST(Fold, IsWithinTwoPercentOfRanksWhereLoadsAreSkewed) { expect_close("zipf", 500); }

}  // namespace
}  // namespace moesim
