// Steps of months: an error that names the number to blame, never a clamped time.
#include "train/too_long.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "train/train_step.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

std::string error_of(const std::string& hardware, std::int64_t batch = 64, const std::string& stack = R"("megatron-core-2026.04")") {
  const std::string text = R"({ "kind": "train", "name": "slow", "model": "mixtral-8x7b", "gpus": 16, "hardware": )" + hardware + R"(, "stack": )" + stack +
                           R"(, "parallel": { "tp": 2, "pp": 2, "ep": 4, "etp": 1 }, "batch": { "seq_length": 4096, "micro_batch_size": 1, "global_batch_size": )" +
                           std::to_string(batch) + " } }";
  try {
    const TrainScenario s = read_train_scenario(Document::parse(text, "a.json"), kData);
    TrainStep(s, Detail::fold).run();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string machine(const std::string& changes) { return R"({ "extends": "dgx-h100", "name": "snail", )" + changes + " }"; }

TEST(TooLongStep, NamesTheNumberToBlame) {
  const std::string takes = "slow: a step takes longer than 46 days; ";
  const std::string far = " in snail is far from what machines have";
  EXPECT_EQ(error_of(machine(R"("gpu": { "peak": { "bf16": "1 GFLOP/s", "fp8": "1 GFLOP/s" } })"), 1024), takes + "gpu.peak.bf16 of 1 GFLOP/s" + far);
  EXPECT_EQ(error_of(machine(R"("scale_up": { "per_gpu": "1 MB/s", "per_pair": "1 MB/s" })"), 4096), takes + "scale_up.per_gpu of 1 MB/s" + far);
  EXPECT_EQ(error_of(machine(R"("scale_out": { "per_gpu": "1 MB/s", "point_to_point_efficiency": 0.001, "ring_efficiency": 0.001, "all_to_all_efficiency": 0.001 })"), 4096),
            takes + "scale_out.per_gpu of 1 MB/s" + far);
}

TEST(TooLongStep, NamesATimeOfTheHost) {
  EXPECT_EQ(error_of(machine(R"("host": { "cpu_factor": 100 })"), 1024, R"({ "extends": "megatron-core-2026.04", "name": "sleepy", "host_per_kernel_forward": "1 s" })"),
            "slow: a step takes longer than 46 days; host_per_kernel_forward of 1 s in sleepy is far from what software takes");
  EXPECT_EQ(error_of(machine(R"("host": { "cpu_factor": 100 })"), 4096, R"({ "extends": "megatron-core-2026.04", "host_per_kernel_backward": "100 ms" })"),
            "slow: a step takes longer than 46 days; host_per_kernel_backward of 100 ms in megatron-core-2026.04, changed is far from what software takes");
}

TEST(TooLongStep, NamesTheBatchWhereTheMachineIsAsUsual) {
  const Document scenario = Document::load(kData / "scenarios/train/mixtral-8x7b-64xh100.json");
  EXPECT_EQ(too_long_text(read_train_scenario(scenario, kData)),
            "mixtral-8x7b-64xh100: a step takes longer than 46 days; batch.global_batch_size is 256, batch.seq_length 4096");
}

TEST(TooLongStep, ASlowMachineWithinThemIsSimulated) {
  EXPECT_EQ(error_of(machine(R"("scale_out": { "per_gpu": "1 MB/s" })")), "no error");
}

}  // namespace
}  // namespace moesim
