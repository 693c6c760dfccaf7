// What sequence parallelism costs and saves in a layer: exactly the difference of its collectives, and the memory-bound work that it splits.
#include <gtest/gtest.h>

#include "analysis/time_attribution.h"
#include "collective/collective.h"
#include "property/random_scenario.h"

namespace moesim {
namespace {

using Classes = std::array<std::int64_t, kTimeClasses>;
constexpr std::int64_t kMicroBatches = 2, kTokens = 4096, kWidth = 8192, kTp = 8;

std::string text(std::int64_t layers, const char* hardware, bool sequence_parallel) {
  return R"({"kind": "train", "model": {"extends": "llama-3-70b", "num_hidden_layers": )" + std::to_string(layers) + R"(}, "hardware": ")" + hardware +
         R"(", "gpus": 8, "parallel": {"tp": 8, "sequence_parallel": )" + (sequence_parallel ? "true" : "false") +
         R"(}, "batch": {"seq_length": 4096, "global_batch_size": 2}})";
}

Classes times(std::int64_t layers, const char* hardware, bool sequence_parallel) {
  const TrainScenario s = test::scenario(text(layers, hardware, sequence_parallel));
  TrainStep step(s, Detail::fold);
  TimeAttribution attribution(step);
  Observer* observers[] = {&attribution};
  attribution.finish(step.run(observers).end);
  return attribution.of(ActorId(0)).time;
}

/// Time of one layer and micro-batch, forward and backward, by class.
Classes of_a_layer(const char* hardware, bool sequence_parallel) {
  Classes many = times(6, hardware, sequence_parallel);
  const Classes few = times(2, hardware, sequence_parallel);
  for (std::size_t c = 0; c < kTimeClasses; ++c) many[c] = (many[c] - few[c]) / (4 * kMicroBatches);
  return many;
}

/// In picoseconds.
double cost(CollectiveOp op, const char* hardware) {
  const HwProfile hw = load_hw_profile(hardware, MOESIM_SOURCE_DIR);
  std::vector<Rank> members;
  for (std::uint32_t r = 0; r < kTp; ++r) members.push_back(Rank(r));
  const Transfer t = collective(op, Bytes{2 * kTokens * kWidth}, place(members, hw), hw).transfer;
  return static_cast<double>((t.latency + t.span).count());
}

TEST(SequenceParallel, CostsItsGathersAndScattersAndSavesTheAllReduces) {
  for (const char* hardware : {"dgx-h100", "dgx-a100", "dgx-b200"}) {
    const Classes with = of_a_layer(hardware, true), without = of_a_layer(hardware, false);
    const auto of = [](const Classes& all, TimeClass c) { return static_cast<double>(all[static_cast<std::size_t>(c)]); };
    // Two inputs are gathered, two outputs scattered; backward the same, and the inputs again for the weight gradients.
    EXPECT_NEAR(of(with, TimeClass::tp_transfer), 6 * cost(CollectiveOp::all_gather, hardware) + 4 * cost(CollectiveOp::reduce_scatter, hardware), 100) << hardware;
    EXPECT_NEAR(of(without, TimeClass::tp_transfer), 4 * cost(CollectiveOp::all_reduce, hardware), 100) << hardware;
    for (const TimeClass c : {TimeClass::gemm, TimeClass::attention}) EXPECT_NEAR(of(with, c), of(without, c), 100) << hardware;
    EXPECT_LT(of(with, TimeClass::memory_bound), of(without, TimeClass::memory_bound)) << hardware;
  }
}

}  // namespace
}  // namespace moesim
