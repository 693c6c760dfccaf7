// A training step from its scenario file to its report, in this process: DeepSeek-V3 with 120 micro-batches on 2,048 GPUs, folded and
// rank by rank, and on 131,072 GPUs folded. `peak_MiB` is the most that the process has held so far.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "analysis/train_report.h"

namespace moesim {
namespace {

double peak_mib() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

void step(benchmark::State& state, const std::vector<std::string>& overrides, Detail detail) {
  const std::filesystem::path data = MOESIM_SOURCE_DIR;
  TrainReport report;
  std::int64_t micro_batches = 0;
  for (auto _ : state) {
    Document doc = Document::load(data / "scenarios/train/deepseek-v3-2048xh800.json");
    for (const std::string& o : overrides) doc = doc.with(o);
    const TrainScenario scenario = read_train_scenario(doc, data);
    micro_batches = scenario.num_micro_batches;
    report = train(scenario, {detail, 1, {}});
  }
  const auto kernels = static_cast<double>(report.engine.kernels);
  state.counters["kernels/s"] = benchmark::Counter(kernels, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["micro_batches"] = static_cast<double>(micro_batches);
  state.counters["pending"] = static_cast<double>(report.engine.max_pending);
  state.counters["peak_MiB"] = peak_mib();
}

const std::vector<std::string> kLarge{"gpus=131072", "batch.global_batch_size=983040"};
BENCHMARK_CAPTURE(step, fold_2048, {}, Detail::fold)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, fold_131072, kLarge, Detail::fold)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, ranks_2048, {}, Detail::ranks)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace moesim
