// A step as a Chrome/Perfetto trace: a process an actor (rank or class), a thread a stream; kernels, transfers with wait and moving
// apart; flows from each dispatch to its combine; counters for memory and micro-batches in flight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "train/train_step.h"

namespace moesim {

/// What a trace holds: a viewer, and a disk, take some hundred megabytes.
struct TraceLimits {
  /// Ranks to record; empty: every class of a fold, all of up to 16 ranks, the first rank of each stage otherwise.
  std::vector<std::int64_t> ranks{};
  /// Events in all, some 150 bytes each. More than that, and only the first part of the step is kept, the same for all ranks.
  std::size_t events = 1'000'000;
};

class ChromeTrace : public Observer {
 public:
  /// Throws InputError: a rank that is not simulated.
  explicit ChromeTrace(const TrainStep&, const TraceLimits& = {});

  void on_segment(const SegmentSpan&) override;
  void on_transfer(const TransferSpan&) override;
  void on_mark(ActorId, std::uint8_t stream, std::uint32_t id, BlockTag, Time) override;

  /// The whole trace as JSON text.
  std::string text() const;
  /// "2 of 64 ranks, the first 1.20 s of 3.40 s": what was left out of a step of this length; empty if nothing.
  std::string left_out(Time step) const;

 private:
  struct Actor {
    bool recorded = false;
    std::int64_t memory = 0;          // bytes of activations live
    std::int64_t in_flight = 0;       // units whose activations are live
    std::string dispatched;           // where the last dispatch started, until its combine
  };
  struct Event {
    Time at;                          // kept if it is before end_
    std::size_t begin, length;        // in text_
  };
  void choose(const std::vector<std::int64_t>& ranks);
  void describe(ActorId);
  void slice(ActorId, std::uint8_t stream, std::string_view name, std::string_view category, Time begin, Time end, BlockTag);
  void event(Time at, std::string_view text);
  void cut();

  const TrainStep& step_;
  std::size_t limit_;
  Time end_;                          // what begins here or later is not kept
  std::string head_, text_;           // names of processes and threads; the events
  std::vector<Event> events_;
  std::vector<Actor> actors_;
  std::int64_t recorded_ = 0;
  std::uint64_t flows_ = 0;
};

}  // namespace moesim
