// The event kernel by itself: a training step's pattern of kernels and group transfers, without a cost model.
//
//   actors x (micro-batches x layers x passes) blocks; a block is 6 segments of 12 kernels and 2 transfers among 64 actors (one for
//   each, when folded), with event slots between the compute and the communication stream.
#include <benchmark/benchmark.h>

#include <vector>

#include "engine/engine.h"

namespace {

using namespace moesim;

class Pattern : public Workload {
 public:
  Pattern(std::uint32_t actors, std::uint32_t group_size, std::uint32_t blocks, bool device_bound)
      : actors_(actors), group_size_(group_size), blocks_(blocks), next_(actors, 0) {
    for (std::uint32_t a = 0; a < actors; ++a) members_.push_back(ActorId{a});
    Segment s;
    for (int k = 0; k < 12; ++k) s = s.then(Segment::kernel(Time{device_bound ? 2'000'000 : 6'000'000}, Time{4'000'000 + k * 100'000}));
    for (int i = 0; i < 6; ++i) segments_.push_back(s.then(Segment::kernel(Time{1'000'000}, Time{i * 1000})));
    transfer_ = {5 * kMicrosecond, 50 * kMicrosecond, {{{1'000'000, 1'000'000, 0, 0}, 50 * kMicrosecond}}};
    const auto add = [&](StepKind kind, std::uint8_t stream, std::uint16_t slot, std::uint32_t id) { steps_.push_back({kind, stream, slot, id}); };
    for (std::uint32_t t = 0; t < 2; ++t) {
      for (std::uint32_t i = 0; i < 3; ++i) add(StepKind::segment, 0, 0, 3 * t + i);
      const auto slot = static_cast<std::uint16_t>(2 * t);
      add(StepKind::record, 0, slot, 0);
      add(StepKind::wait, 1, slot, 0);
      add(StepKind::transfer, 1, 0, t);
      add(StepKind::record, 1, static_cast<std::uint16_t>(slot + 1), 0);
      add(StepKind::wait, 0, static_cast<std::uint16_t>(slot + 1), 0);
    }
  }

  std::size_t actors() const override { return actors_; }
  std::size_t streams() const override { return 7; }
  std::size_t event_slots() const override { return 4; }
  std::size_t groups() const override { return actors_ / group_size_; }
  std::optional<Block> next_block(ActorId a) override {
    if (next_[a.index()] == blocks_) return std::nullopt;
    return Block{steps_, {0, next_[a.index()]++}};
  }
  GroupId group(ActorId a, std::uint16_t) const override { return GroupId{a.value() / group_size_}; }
  std::span<const ActorId> members(GroupId g) const override { return std::span(members_).subspan(g.index() * group_size_, group_size_); }
  Segment segment(ActorId a, std::uint32_t id, BlockTag) override {
    Segment s = segments_[id];
    s.device += Time{a.value() % 7 * 1000};
    s.lag += Time{a.value() % 7 * 1000};
    return s;
  }
  const Transfer& transfer(GroupId, std::uint32_t, BlockTag) override { return transfer_; }
  std::int64_t capacity(ActorId, Port) const override { return 200'000'000'000; }

 private:
  std::uint32_t actors_, group_size_, blocks_;
  std::vector<std::uint32_t> next_;
  std::vector<ActorId> members_;
  std::vector<Segment> segments_;
  Transfer transfer_;
  std::vector<Step> steps_;
};

/// Arguments: actors, group size, micro-batches, 1 if the device sets the pace.
void run_pattern(benchmark::State& state) {
  EngineCounters counters;
  for (auto _ : state) {
    Pattern pattern(static_cast<std::uint32_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)),
                    static_cast<std::uint32_t>(state.range(2)) * 8, state.range(3) == 1);
    counters = run(pattern).counters;
  }
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(counters.kernels), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["pending"] = static_cast<double>(counters.max_pending);
}
BENCHMARK(run_pattern)->Args({32, 1, 120, 0})->Args({32, 1, 120, 1})->Args({2048, 64, 120, 0})->Args({2048, 64, 120, 1})->Unit(benchmark::kMillisecond);

}  // namespace
