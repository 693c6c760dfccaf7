// GPUs of one make differ in speed, and the slowest sets the pace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/sample_times.h"
#include "support/train_cases.h"
#include "train/step/gpu_speeds.h"

namespace moesim {
namespace {

TrainCase dense(std::int64_t gpus) {
  TrainCase c;
  c.model = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  c.load = "";
  c.gpus = gpus;
  c.micro_batches = 2;
  c.seq_length = 4096;
  return c;
}

TrainCase with_spread(TrainCase c) {
  c.extra = R"(, "perturb": {"gpu_speed_spread": true})";
  return c;
}

TEST(GpuSpread, TheSlowestOfNIsAsFarDownAsTheLargestOfNNormalsIsUp) {
  // Expected largest of n unit normals (Tippett 1925; Harter 1961).
  const std::pair<std::int64_t, double> known[] = {{8, 1.42360}, {16, 1.76599}, {32, 2.06967}, {64, 2.34373}};
  for (const auto& [n, largest] : known) {
    const TrainScenario s = with_spread(dense(n)).scenario();
    double sum = 0;
    constexpr int kSamples = 2000;
    for (int i = 0; i < kSamples; ++i) {
      const std::vector<double> speeds = gpu_speeds(s, i);
      sum += *std::min_element(speeds.begin(), speeds.end());
    }
    const double sigma = s.hardware.gpu.speed_spread.value;
    EXPECT_NEAR((1 - sum / kSamples) / sigma, largest, 0.05) << n;   // 0.6 sigma / sqrt(2000) = 0.013
  }
}

TEST(GpuSpread, AStepOfReplicasIsThatOfTheSlowestGpu) {
  const TrainScenario s = with_spread(dense(8)).scenario();
  const std::vector<double> speeds = gpu_speeds(s, 0);
  const double slowest = *std::min_element(speeds.begin(), speeds.end());
  std::string all;
  for (int r = 0; r < 8; ++r) all += (r ? ", \"" : "\"") + std::to_string(r) + "\": " + std::to_string(slowest);
  TrainCase c = dense(8);
  c.extra = R"(, "perturb": {"gpu_speed": {)" + all + "}}";
  const TrainScenario all_slow = c.scenario();
  const double spread = seconds(TrainStep(s, Detail::ranks).run().end), slow = seconds(TrainStep(all_slow, Detail::fold).run().end);
  EXPECT_NEAR(spread / slow, 1, 0.003);
}

TEST(GpuSpread, IsOffUnlessAskedForAndThenDrawnAnewForEachSample) {
  for (const double v : gpu_speeds(dense(8).scenario(), 0)) EXPECT_EQ(v, 1);
  const TrainScenario s = with_spread(dense(8)).scenario();
  EXPECT_NE(gpu_speeds(s, 0), gpu_speeds(s, 1));
  EXPECT_EQ(gpu_speeds(s, 1), gpu_speeds(s, 1));
  const std::vector<double> times = sample_step_times(s, Detail::fold, 0, 20);
  EXPECT_GT(*std::max_element(times.begin(), times.end()), 1.005 * *std::min_element(times.begin(), times.end()));
}

// Also where nothing but the GPUs is drawn.
TEST(GpuSpread, EachSampleOfAReportHasOtherGpus) {
  const TrainReport report = train(with_spread(dense(8)).scenario(), {Detail::fold, 20, {}});
  ASSERT_EQ(report.sample_step_times_s.size(), 20u);
  EXPECT_GT(report.sample_step_times_s.back(), 1.005 * report.sample_step_times_s.front());
  EXPECT_TRUE(train(dense(8).scenario(), {Detail::fold, 20, {}}).sample_step_times_s.empty());
}

double bar(const TrainReport& report, const std::string& name) {
  for (const Bar& b : report.waterfall)
    if (b.name == name) return b.seconds;
  ADD_FAILURE() << name;
  return 0;
}

// One stage and equal loads: all waiting is for slower GPUs. Summed over cases, since which GPUs meet in a group is a draw.
TEST(GpuSpread, FoldShowsAsMuchWaitingAsRanksWhereOnlyGpusDiffer) {
  double of_fold = 0, of_ranks = 0;
  int cases = 0;
  for (std::uint64_t seed = 1; cases < 30; ++seed) {
    TrainCase c = with_spread(random_case(seed));
    c.load = "balanced";
    if (c.gpus > 64 || c.gpus < 8 || c.pp > 1) continue;
    const TrainScenario s = c.scenario();
    const TrainReport fold = train(s), ranks = train(s, {Detail::ranks, 1, {}});
    of_fold += bar(fold, "waiting for slower ranks") / ranks.step_time_s;
    of_ranks += bar(ranks, "waiting for slower ranks") / ranks.step_time_s;
    double sum = 0;
    for (const Bar& b : fold.waterfall) sum += b.seconds;
    EXPECT_NEAR(sum, fold.step_time_s, 1e-9 * fold.step_time_s);
    ++cases;
  }
  EXPECT_GT(of_ranks, 0);
  EXPECT_NEAR(of_fold / of_ranks, 1, 0.25) << of_ranks / cases << " of a step";
}

TEST(GpuSpread, FoldIsWithinTwoPercentOfRanks) {
  int cases = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; cases < 40; ++seed) {
    TrainCase c = with_spread(random_case(seed));
    c.load = seed % 2 ? "multinomial" : "balanced";
    if (c.gpus > 64) continue;
    const TrainScenario s = c.scenario();
    TrainStep fold(s, Detail::fold), ranks(s, Detail::ranks);
    EXPECT_TRUE(fold.merges_speeds() || fold.actors().size() == static_cast<std::size_t>(c.gpus));
    const double ratio = seconds(fold.run().end) / seconds(ranks.run().end);
    EXPECT_NEAR(ratio, 1, 0.02) << "seed " << seed << ": " << c.json();
    worst = std::max(worst, std::abs(ratio - 1));
    ++cases;
  }
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace moesim
