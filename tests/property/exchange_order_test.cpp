// In which order gradients and parameters are exchanged at the ends of a step.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/train_cases.h"
#include "train/train_step.h"

namespace moesim {
namespace {

/// The exchanges of data parallelism that one actor took part in, in the order of time.
class Exchanges : public Observer {
 public:
  explicit Exchanges(const TrainStep& step) : step_(step) {}
  void on_transfer(const TransferSpan& t) override {
    const TransferKind kind = step_.transfer_kind(t.id);
    if (t.actor == ActorId(0) && (kind == TransferKind::grad_reduce || kind == TransferKind::param_gather)) spans_.push_back({t.started, t.end});
  }
  /// How many of them begin before another has ended.
  std::ptrdiff_t overlapping() {
    std::sort(spans_.begin(), spans_.end());
    std::ptrdiff_t n = 0;
    for (std::size_t i = 1; i < spans_.size(); ++i) n += spans_[i].first < spans_[i - 1].second;
    return n;
  }
  std::size_t size() const { return spans_.size(); }

 private:
  const TrainStep& step_;
  std::vector<std::pair<Time, Time>> spans_;
};

TEST(ExchangeOrder, WithoutOverlapDenseAndRoutedGradientsAndParametersGoOneAfterTheOther) {
  TrainCase c;
  c.hardware = "\"alps-gh200\"", c.gpus = 16, c.ep = 2;
  for (const bool overlap : {false, true}) {
    c.overlap_dp = overlap;
    const TrainScenario s = c.scenario();
    TrainStep step(s, Detail::fold);
    Exchanges seen(step);
    Observer* observers[] = {&seen};
    step.run(observers);
    EXPECT_GE(seen.size(), 4u);   // dense and routed, gradients and parameters
    if (overlap) EXPECT_GT(seen.overlapping(), 0);
    else EXPECT_EQ(seen.overlapping(), 0);
  }
}

}  // namespace
}  // namespace moesim
