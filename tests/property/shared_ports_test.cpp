// What sharing of ports does to a step. Without it all times are maxima of sums, so nothing that takes longer ends anything sooner. With it
// a step is a schedule that reacts, and has the anomalies of those (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/json.h"
#include "property/random_scenario.h"
#include "train/train_step.h"

namespace moesim {
namespace {

Time step_time(const std::string& text, double cpu_factor, bool share_ports) {
  Json s = Json::parse(text);
  if (s["hardware"].is_string()) s["hardware"] = {{"extends", s["hardware"]}};
  s["hardware"]["host"]["cpu_factor"] = cpu_factor;
  const TrainScenario scenario = test::scenario(s.dump());
  EngineOptions options;
  options.share_ports = share_ports;
  options.take_of_members = false;   // what transfers take of kernels depends on what meets, too
  return TrainStep(scenario, Detail::fold).run({}, options).end;
}

/// How often a slower host makes the step faster.
int anomalies(const std::string& text, const std::vector<double>& cpu_factors, bool share_ports) {
  int out = 0;
  Time before{0};
  for (const double factor : cpu_factors) {
    const Time now = step_time(text, factor, share_ports);
    out += now < before;
    before = now;
  }
  return out;
}

TEST(SharedPorts, AreAllThatCanMakeAStepFasterOnASlowerHost) {
  int tried = 0;
  for (std::uint64_t seed = 1; tried < 60; ++seed) {
    const test::ScenarioLimits limits{64, seed % 2 ? "balanced" : "multinomial", false};
    if (!test::random_scenario(seed, limits)) continue;
    ++tried;
    const std::string text = test::random_scenario_text(seed, limits);
    EXPECT_EQ(anomalies(text, {0.3, 0.9, 0.99, 1, 1.01, 1.1, 3}, false), 0) << "seed " << seed << ": " << text;
  }
}

TEST(SharedPorts, NeverMakeAStepFaster) {
  int tried = 0, slower = 0;
  for (std::uint64_t seed = 1000; tried < 100; ++seed) {
    const test::ScenarioLimits limits{64, seed % 2 ? "balanced" : "multinomial", false};
    if (!test::random_scenario(seed, limits)) continue;
    ++tried;
    const std::string text = test::random_scenario_text(seed, limits);
    const Time alone = step_time(text, 1, false), shared = step_time(text, 1, true);
    EXPECT_GE(shared, alone) << "seed " << seed << ": " << text;
    slower += shared > alone;
  }
  EXPECT_GT(slower, 5);
}

TEST(SharedPorts, MakeTheStepOfInterleavedStagesHangOnSmallChangesOfTiming) {
  // Messages between stages meet expert exchanges on the NIC or miss them.
  std::ifstream in(std::string(MOESIM_SOURCE_DIR) + "/scenarios/train/deepseek-v3-1024xh100.json");
  Json s = Json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  s["batch"]["global_batch_size"] = 2048;
  s["moe"]["load"]["law"] = "balanced";
  std::vector<double> factors;
  for (int i = 5; i <= 15; ++i) factors.push_back(i / 10.0);
  EXPECT_GT(anomalies(s.dump(), factors, true), 0);
  EXPECT_EQ(anomalies(s.dump(), factors, false), 0);
}

}  // namespace
}  // namespace moesim
