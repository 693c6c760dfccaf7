// One draw of expert loads: 256 experts, top 8, for the token counts of training (EP64 x 4096) down to decoding.
#include <benchmark/benchmark.h>

#include <vector>

#include "moe/dispatch_plan.h"
#include "moe/expert_load.h"

namespace moesim {
namespace {

void draw(benchmark::State& state, const char* name) {
  const auto sampler = load_laws().make(name)->sampler({.tokens = state.range(0), .num_experts = 256, .top_k = 8}, {});
  std::vector<std::int64_t> counts(256);
  LoadKey key{.seed = 1};
  for (auto _ : state) {
    sampler->draw(key, counts);
    ++key.micro_batch;
    benchmark::DoNotOptimize(counts.data());
  }
}
BENCHMARK_CAPTURE(draw, balanced, "balanced")->Arg(64 * 4096)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, multinomial, "multinomial")->Arg(32)->Arg(256)->Arg(257)->Arg(64 * 4096)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, zipf, "zipf")->Arg(32)->Arg(256)->Arg(257)->Arg(64 * 4096)->Unit(benchmark::kMicrosecond);

void plan(benchmark::State& state) {
  std::vector<std::int64_t> counts(256);
  load_laws().make("multinomial")->draw({}, {.tokens = 64 * 4096, .num_experts = 256, .top_k = 8}, {}, counts);
  for (auto _ : state) benchmark::DoNotOptimize(plan_dispatch(counts, 64, 4096, 8, {.factor = 1.0, .pad = false}));
}
BENCHMARK(plan)->Unit(benchmark::kMicrosecond);

void metrics(benchmark::State& state) {
  std::vector<std::int64_t> counts(256);
  load_laws().make("multinomial")->draw({}, {.tokens = 64 * 4096, .num_experts = 256, .top_k = 8}, {}, counts);
  for (auto _ : state) benchmark::DoNotOptimize(imbalance(counts));
}
BENCHMARK(metrics)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace moesim
