// What the memory table says and what the simulated step holds are one thing.
#include <gtest/gtest.h>

#include "property/random_scenario.h"
#include "train/memory.h"
#include "train/train_step.h"

namespace moesim {
namespace {

/// The most activation bytes that each stage holds at once while the step runs.
class MostLive : public Observer {
 public:
  explicit MostLive(const TrainStep& step) : step_(step), live_(step.actors().size()) {}
  void on_mark(ActorId a, std::uint8_t, std::uint32_t id, BlockTag tag, Time) override {
    Bytes& now = live_[a.index()];
    now += step_.memory_delta(a, id, tag);
    Bytes& most = most_[step_.actors()[a.index()].stage];
    most = std::max(most, now);
  }
  Bytes of(std::int64_t stage) { return most_[stage]; }

 private:
  const TrainStep& step_;
  std::vector<Bytes> live_;
  std::map<std::int64_t, Bytes> most_;
};

TEST(Memory, TheTableHoldsWhatTheStepHoldsAtItsPeak) {
  int cases = 0, mtp = 0;
  for (std::uint64_t seed = 7000; seed < 7120; ++seed) {
    const auto s = test::random_scenario(seed, {.gpus = 32});
    if (!s) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + s->resolved);
    TrainStep step(*s, Detail::fold);
    MostLive live(step);
    Observer* observers[] = {&live};
    step.run(observers);
    const MemoryReport table = memory(*s);
    for (const StageMemory& m : table.stages) EXPECT_EQ(live.of(m.stage), m.activations) << "stage " << m.stage;
    ++cases;
    mtp += s->model.mtp_layers > 0;
  }
  EXPECT_GE(cases, 30);
  EXPECT_GE(mtp, 3);
}

}  // namespace
}  // namespace moesim
