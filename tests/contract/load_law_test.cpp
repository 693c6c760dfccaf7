// What every load law promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "moe/expert_load.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int64_t>;

class LoadLawContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<LoadLaw> law_ = load_laws().make(GetParam());

  Counts draw(const LoadKey& key, const LoadShape& shape) const {
    Counts counts(static_cast<std::size_t>(shape.num_experts), -7);
    law_->draw(key, shape, {}, counts);
    return counts;
  }
};

const std::vector<LoadShape> kShapes{{1, 1, 1},       {0, 8, 2},      {1, 8, 3},        {5, 8, 8},         {100, 8, 2},  {4096, 8, 7},
                                     {4096, 128, 8},  {256, 256, 8},  {262144, 256, 8}, {1000, 2, 1},      {77, 60, 4},  {1 << 20, 64, 6},
                                     {3000, 512, 10}, {100000, 3, 2}, {512, 384, 8},    {100000, 384, 384}};

TEST_P(LoadLawContract, CountsSumToTokensTimesTopKAndNoneExceedsTheTokens) {
  for (const LoadShape& shape : kShapes)
    for (std::int64_t i = 0; i < 50; ++i) {
      const Counts counts = draw({.seed = 5, .layer = i % 3, .micro_batch = i}, shape);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), shape.tokens * shape.top_k) << shape.num_experts;
      EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 0) << shape.num_experts;
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), shape.tokens) << shape.num_experts;
    }
}

TEST_P(LoadLawContract, ADrawDependsOnItsKeyAlone) {
  const LoadShape shape{8192, 64, 6};
  const auto sampler = law_->sampler(shape, {});
  const LoadKey key{.seed = 1, .layer = 2, .step = 3, .micro_batch = 4, .group = 5};
  const Counts first = draw(key, shape);
  Counts later(64);
  sampler->draw({.seed = 9, .layer = 9}, later);
  sampler->draw(key, later);
  EXPECT_EQ(later, first);
}

TEST_P(LoadLawContract, EveryPartOfTheKeyMattersUnlessExactlyBalanced) {
  const LoadShape shape{8192, 64, 6};
  const Counts base = draw({}, shape);
  const std::vector<LoadKey> others{{.seed = 1}, {.layer = 1}, {.step = 1}, {.micro_batch = 1}, {.group = 1}};
  for (const LoadKey& other : others) EXPECT_EQ(draw(other, shape) == base, law_->exactly_balanced());
}

TEST_P(LoadLawContract, TheMeanCountIsTokensTimesTopKOverExperts) {
  // Over many layers every expert is alike, whatever its law.
  const LoadShape shape{2000, 16, 4};
  std::vector<double> sum(16);
  for (std::int64_t layer = 0; layer < 4000; ++layer) {
    const Counts counts = draw({.layer = layer}, shape);
    for (std::size_t e = 0; e < 16; ++e) sum[e] += static_cast<double>(counts[e]);
  }
  for (double s : sum) EXPECT_NEAR(s / 4000, 500, 5 * 460 / 63.2);   // zipf: deviation over layers about 460; 5 standard errors
}

TEST_P(LoadLawContract, RefusesImpossibleShapes) {
  EXPECT_THROW(law_->sampler({10, 0, 1}, {}), InputError);
  EXPECT_THROW(law_->sampler({10, 8, 0}, {}), InputError);
  EXPECT_THROW(law_->sampler({10, 8, 9}, {}), InputError);
  EXPECT_THROW(law_->sampler({-1, 8, 2}, {}), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, LoadLawContract, testing::ValuesIn(load_laws().names()));

}  // namespace
}  // namespace moesim
