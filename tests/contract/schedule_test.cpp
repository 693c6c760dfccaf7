// What every registered schedule promises, on a grid of shapes. The list simulator below knows only the dependencies of a pipeline:
// it is written without the engine, so its times are an independent check of the order of actions.
#include "train/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"

namespace moesim {
namespace {

using Shapes = std::vector<ScheduleShape>;

Shapes accepted_shapes(const Schedule& schedule) {
  Shapes out;
  for (std::int64_t pp : {1, 2, 3, 4, 8, 16})
    for (std::int64_t vpp : {1, 2, 3, 4, 6})
      for (std::int64_t m : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 120}) {
        const ScheduleShape shape{pp, vpp, m};
        try {
          schedule.check(shape);
          out.push_back(shape);
        } catch (const InputError&) {}
      }
  return out;
}

std::string text(const ScheduleShape& s) {
  return "pp " + std::to_string(s.pp) + " vpp " + std::to_string(s.vpp) + " M " + std::to_string(s.num_micro_batches);
}

/// Runs every stage's list in order; a forward of a chunk takes `f`, a backward `b`, messages nothing. Part p = chunk * pp + stage
/// follows part p - 1 forwards and p + 1 backwards. Returns the end of the last action, or nothing if the lists deadlock.
class ListSimulator {
 public:
  ListSimulator(const Schedule& schedule, const ScheduleShape& shape, std::int64_t f, std::int64_t b)
      : shape_(shape), f_(f), b_(b) {
    for (std::int64_t r = 0; r < shape.pp; ++r) lists_.push_back(schedule.actions(shape, r));
  }

  std::optional<std::int64_t> run() {
    std::vector<std::size_t> next(lists_.size(), 0);
    std::vector<std::int64_t> now(lists_.size(), 0);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t r = 0; r < lists_.size(); ++r)
        for (; next[r] < lists_[r].size(); ++next[r], progress = true) {
          const Action& a = lists_[r][next[r]];
          const std::optional<std::int64_t> ready = ready_time(a, static_cast<std::int64_t>(r));
          if (!ready) break;
          now[r] = std::max(now[r], *ready) + (a.kind == Action::Kind::forward ? f_ : b_);
          ends_[{a.kind == Action::Kind::forward, part(a, static_cast<std::int64_t>(r)), a.micro_batch}] = now[r];
        }
    }
    for (std::size_t r = 0; r < lists_.size(); ++r)
      if (next[r] < lists_[r].size()) return std::nullopt;
    return *std::max_element(now.begin(), now.end());
  }

 private:
  using Key = std::tuple<bool, std::int64_t, std::uint32_t>;

  std::int64_t part(const Action& a, std::int64_t r) const { return a.chunk * shape_.pp + r; }

  std::optional<std::int64_t> end_of(const Key& key) const {
    const auto it = ends_.find(key);
    if (it == ends_.end()) return std::nullopt;
    return it->second;
  }

  std::optional<std::int64_t> ready_time(const Action& a, std::int64_t r) const {
    const std::int64_t p = part(a, r), last = shape_.pp * shape_.vpp - 1;
    if (a.kind == Action::Kind::forward) return p == 0 ? 0 : end_of({true, p - 1, a.micro_batch});
    return p == last ? end_of({true, p, a.micro_batch}) : end_of({false, p + 1, a.micro_batch});
  }

  ScheduleShape shape_;
  std::int64_t f_, b_;
  std::vector<std::vector<Action>> lists_;
  std::map<Key, std::int64_t> ends_;
};

class EverySchedule : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Schedule> schedule_ = schedules().make(GetParam());
  Shapes shapes_ = accepted_shapes(*schedule_);
};

TEST_P(EverySchedule, AcceptsManyShapesOfTheGrid) { EXPECT_GE(shapes_.size(), 50u); }

TEST_P(EverySchedule, RunsEachForwardAndBackwardOnceAndBackwardsAfterForwards) {
  for (const ScheduleShape& shape : shapes_)
    for (std::int64_t r = 0; r < shape.pp; ++r) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> forward, backward;
      for (const Action& a : schedule_->actions(shape, r)) {
        const std::pair key{a.micro_batch, a.chunk};
        ASSERT_LT(a.micro_batch, shape.num_micro_batches) << text(shape);
        ASSERT_LT(a.chunk, shape.vpp) << text(shape);
        if (a.kind == Action::Kind::forward) {
          ASSERT_TRUE(forward.insert(key).second) << text(shape);
        } else {
          ASSERT_TRUE(forward.count(key)) << text(shape);
          ASSERT_TRUE(backward.insert(key).second) << text(shape);
        }
      }
      ASSERT_EQ(forward.size(), static_cast<std::size_t>(shape.num_micro_batches * shape.vpp)) << text(shape);
      ASSERT_EQ(backward.size(), forward.size()) << text(shape);
    }
}

TEST_P(EverySchedule, RunsWithoutDeadlock) {
  for (const ScheduleShape& shape : shapes_) EXPECT_TRUE(ListSimulator(*schedule_, shape, 1, 2).run()) << text(shape);
}

// A stage holds at most one micro-batch more than it ran ahead: 1F1B min(M, P - r), interleaved min(MV, 2(P - r - 1) + (V - 1)P +
// 1) chunks.
TEST_P(EverySchedule, KeepsNoMoreInFlightThanTheWarmUpAndOne) {
  for (const ScheduleShape& shape : shapes_)
    for (std::int64_t r = 0; r < shape.pp; ++r) {
      std::int64_t live = 0, most = 0;
      for (const Action& a : schedule_->actions(shape, r)) {
        live += a.kind == Action::Kind::forward ? 1 : -1;
        most = std::max(most, live);
      }
      const std::int64_t ahead = shape.vpp == 1 ? shape.pp - r - 1 : 2 * (shape.pp - r - 1) + (shape.vpp - 1) * shape.pp;
      EXPECT_EQ(most, std::min(shape.num_micro_batches * shape.vpp, ahead + 1)) << text(shape) << " stage " << r;
    }
}

// Equal stages and free messages: the step is M whole-stage passes and (P - 1) passes of one chunk, so the bubble is (P - 1) / (V
// M) of the useful time. A chunk takes f + b, a whole stage V(f + b): end = (M V + P - 1)(f + b). Fewer micro-batches than stages
// (1F1B): the same.
TEST_P(EverySchedule, HasTheClosedFormBubble) {
  for (const ScheduleShape& shape : shapes_)
    for (const auto& [f, b] : {std::pair{1, 2}, {1, 1}, {3, 5}}) {
      const std::int64_t useful = shape.num_micro_batches * shape.vpp * (f + b);
      EXPECT_EQ(ListSimulator(*schedule_, shape, f, b).run(), useful + (shape.pp - 1) * (f + b)) << text(shape);
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) { return "S_" + info.param; }
INSTANTIATE_TEST_SUITE_P(Registry, EverySchedule, testing::ValuesIn(schedules().names()), test_name);

}  // namespace
}  // namespace moesim
