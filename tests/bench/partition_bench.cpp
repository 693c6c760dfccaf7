// Partition of 131,072 ranks into classes: TP2, PP16, CP2, EP64 on nodes of 8 and pods of 256, six kinds of group.
#include "parallel/partition.h"

#include <benchmark/benchmark.h>

#include "parallel/layout.h"

namespace moesim {
namespace {

PartitionInput large_world(std::int64_t gpus) {
  const ParallelLayout layout({.gpus = gpus, .tp = 2, .pp = 16, .cp = 2, .ep = 64, .etp = 1});
  PartitionInput in{.ranks = static_cast<std::size_t>(gpus), .colour = {}, .group_of = {}, .place_of = std::vector<std::vector<std::uint32_t>>(2)};
  for (GroupKind kind : {GroupKind::tp, GroupKind::cp, GroupKind::dp_cp, GroupKind::pp, GroupKind::ep, GroupKind::edp}) {
    auto& groups = in.group_of.emplace_back();
    for (std::uint32_t r = 0; r < gpus; ++r) groups.push_back(static_cast<std::uint32_t>(layout.group_of(kind, Rank{r})));
  }
  for (std::uint32_t r = 0; r < gpus; ++r) {
    in.colour.push_back(static_cast<std::uint64_t>(layout.coordinates(Rank{r}).pp));
    in.place_of[0].push_back(r / 8);
    in.place_of[1].push_back(r / 256);
  }
  return in;
}

/// range(0) ranks have a colour of their own.
void partition(benchmark::State& state) {
  PartitionInput in = large_world(131'072);
  for (std::int64_t i = 0; i < state.range(0); ++i) in.colour[static_cast<std::size_t>(i * 104'729 % 131'072)] = 1000 + static_cast<std::uint64_t>(i);
  std::size_t classes = 0;
  for (auto _ : state) classes = coarsest_equitable_partition(in).size.size();
  state.counters["classes"] = static_cast<double>(classes);
}
BENCHMARK(partition)->Arg(0)->Arg(1)->Arg(100)->Unit(benchmark::kMillisecond);

void group_of(benchmark::State& state) {
  const ParallelLayout layout({.gpus = 131'072, .tp = 2, .pp = 16, .cp = 2, .ep = 64, .etp = 1});
  std::uint32_t rank = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(layout.group_of(GroupKind::edp, Rank{rank}));
    rank = (rank + 7) % 131'072;
  }
}
BENCHMARK(group_of);

}  // namespace
}  // namespace moesim
