// A step as a Chrome/Perfetto trace: a process an actor (rank or class), a thread a stream; kernels, transfers with wait and moving
// apart; flows from each dispatch to its combine; counters for memory and micro-batches in flight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "train/train_step.h"

namespace moesim {

class ChromeTrace : public Observer {
 public:
  /// Kernels are expanded up to `max_events` events in all; past it nothing more is recorded, and the trace says so.
  explicit ChromeTrace(const TrainStep&, std::size_t max_events = 4'000'000);

  void on_segment(const SegmentSpan&) override;
  void on_transfer(const TransferSpan&) override;
  void on_mark(ActorId, std::uint8_t stream, std::uint32_t id, BlockTag, Time) override;

  /// The whole trace as JSON text.
  std::string text() const;

 private:
  struct Actor {
    std::int64_t memory = 0;          // bytes of activations live
    std::int64_t in_flight = 0;       // units whose activations are live
    std::string dispatched;           // where the last dispatch started, until its combine
  };
  void slice(ActorId, std::uint8_t stream, std::string_view name, std::string_view category, Time begin, Time end, BlockTag);
  void event(std::string_view text);

  const TrainStep& step_;
  std::size_t max_events_, events_ = 0;
  std::string out_;
  std::vector<Actor> actors_;
  std::uint64_t flows_ = 0;
};

}  // namespace moesim
