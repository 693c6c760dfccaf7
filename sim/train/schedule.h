// A pipeline schedule: in which order a stage runs forward and backward of micro-batches and chunks. Time does not appear: overlap
// and bubbles come out of the events.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/registry.h"

namespace moesim {

struct Action {
  enum class Kind : std::uint8_t { forward, backward };
  Kind kind{};
  std::uint32_t micro_batch = 0;
  std::uint32_t chunk = 0;        // model chunk of the stage, 0 without interleaving
  bool operator==(const Action&) const = default;
};

struct ScheduleShape {
  std::int64_t pp = 1, vpp = 1, num_micro_batches = 1;
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Throws InputError with the rule that the shape breaks.
  virtual void check(const ScheduleShape&) const = 0;
  /// Every (kind, micro_batch, chunk) exactly once, backward after forward.
  virtual std::vector<Action> actions(const ScheduleShape&, std::int64_t stage) const = 0;
  /// Whether point-to-point is posted ahead of need and overlaps compute unless the scenario says otherwise.
  virtual bool overlaps_p2p() const = 0;
};

Registry<Schedule> schedules();   // 1f1b, interleaved_1f1b

}  // namespace moesim
