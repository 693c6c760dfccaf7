// Reading a machine with its curves, and making its cost model.
#include <benchmark/benchmark.h>

#include "cost/cost_model.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

void read(benchmark::State& state, const char* machine, Curves curves) {
  for (auto _ : state) benchmark::DoNotOptimize(load_hw_profile(machine, kData, curves));
}
BENCHMARK_CAPTURE(read, h200, "dgx-h200", Curves::read)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, b200, "dgx-b200", Curves::read)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, b200_without_curves, "dgx-b200", Curves::left)->Unit(benchmark::kMillisecond);

/// The curves of MoE layers, which are read on demand.
void read_moe(benchmark::State& state, const char* machine) {
  const HwProfile hw = load_hw_profile(machine, kData);
  for (auto _ : state) benchmark::DoNotOptimize(load_moe_curves(hw));
}
BENCHMARK_CAPTURE(read_moe, h200, "dgx-h200")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_moe, b200, "dgx-b200")->Unit(benchmark::kMillisecond);

void model(benchmark::State& state) {
  const HwProfile hw = load_hw_profile("dgx-h200", kData);
  for (auto _ : state) benchmark::DoNotOptimize(CostModel(hw));
}
BENCHMARK(model)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace moesim
