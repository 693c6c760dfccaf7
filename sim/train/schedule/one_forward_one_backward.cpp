// 1F1B: stage r runs min(M, P - r - 1) forwards ahead, then alternates one forward and one backward, then drains.
// Source: Megatron-LM pipeline_parallel/schedules.py, forward_backward_pipelining_without_interleaving.
#include <algorithm>

#include "base/error.h"
#include "train/schedule.h"

namespace moesim {

std::unique_ptr<Schedule> make_1f1b();

namespace {

class OneForwardOneBackward final : public Schedule {
 public:
  void check(const ScheduleShape& shape) const override {
    if (shape.vpp > 1)
      throw InputError("1f1b runs one model chunk a stage, found vpp " + std::to_string(shape.vpp) + "; use interleaved_1f1b");
  }

  std::vector<Action> actions(const ScheduleShape& shape, std::int64_t stage) const override {
    check(shape);
    const std::int64_t total = shape.num_micro_batches;
    const std::int64_t warm_up = std::min(total, shape.pp - stage - 1);
    std::vector<Action> out;
    out.reserve(static_cast<std::size_t>(2 * total));
    auto run = [&](Action::Kind kind, std::int64_t i) { out.push_back({kind, static_cast<std::uint32_t>(i), 0}); };
    for (std::int64_t i = 0; i < warm_up; ++i) run(Action::Kind::forward, i);
    for (std::int64_t i = warm_up; i < total; ++i) {
      run(Action::Kind::forward, i);
      run(Action::Kind::backward, i - warm_up);
    }
    for (std::int64_t i = total - warm_up; i < total; ++i) run(Action::Kind::backward, i);
    return out;
  }

  bool overlaps_p2p() const override { return false; }
};

}  // namespace

std::unique_ptr<Schedule> make_1f1b() { return std::make_unique<OneForwardOneBackward>(); }

}  // namespace moesim
