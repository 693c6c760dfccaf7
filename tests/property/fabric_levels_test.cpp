// Domains and levels of any sizes make a machine, or are refused.
#include <gtest/gtest.h>

#include "base/error.h"
#include "property/random_scenario.h"
#include "train/train_step.h"

namespace moesim {
namespace {

std::string text(std::int64_t domain, std::int64_t near, std::int64_t far, std::int64_t gpus) {
  return R"({"kind": "train", "model": "llama-3.1-8b", "batch": {"global_batch_size": )" + std::to_string(gpus) + R"(}, "gpus": )" + std::to_string(gpus) +
         R"(, "hardware": {"extends": "dgx-h100", "gpus_per_node": )" + std::to_string(domain) + R"(, "scale_up": {"domain": )" + std::to_string(domain) +
         R"(}, "scale_out": {"levels": [{"name": "near", "gpus": )" + std::to_string(near) + R"(, "latency": "1 us"}, {"name": "far", "gpus": )" +
         std::to_string(far) + R"(, "latency": "2 us"}, {"name": "all", "latency": "3 us"}]}}})";
}

TEST(FabricLevels, OfAnySizesAreSimulatedOrRefused) {
  int simulated = 0, refused = 0;
  for (const std::int64_t domain : {1, 3, 8, 72})
    for (const std::int64_t near : {2, 7, 100, 288})
      for (const std::int64_t far : {8, 101, 300})
        for (const std::int64_t gpus : {1, 24, 600}) {
          SCOPED_TRACE(text(domain, near, far, gpus));
          try {
            const TrainScenario scenario = test::scenario(text(domain, near, far, gpus));
            EXPECT_GT(TrainStep(scenario, Detail::fold).run().end, Time{0});
            ++simulated;
          } catch (const InputError&) { ++refused; }
        }
  EXPECT_GT(simulated, 30);
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace moesim
