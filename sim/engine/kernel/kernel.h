// The engine's working part.
//
// Actors meet only in transfers, so a transfer's begin and ends are the only events. Between them an actor runs ahead by itself: its
// host issues and its streams advance, in closed form, until every stream is held by a transfer or empty and the host is blocked
// or done; where transfers take of their members, until nothing beside a segment is certain any more, and then the ends of segments are
// events too. Times found on the way may lie ahead of the clock, never behind it.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/kernel/contention.h"
#include "engine/kernel/queue.h"
#include "engine/kernel/state.h"

namespace moesim::kernel {

class Kernel {
 public:
  Kernel(Workload&, std::span<Observer* const>, const EngineOptions&);
  RunResult run();

 private:
  void check_distinct(std::uint32_t group) const;

  // One actor, cursor.cpp
  void advance(std::uint32_t actor);
  void run_host(std::uint32_t actor);
  bool fetch_block(std::uint32_t actor, Host&);
  std::uint32_t places(std::uint32_t actor, Host&, const Step&);
  bool reserve(Host&, Stream&, std::uint32_t places);
  void leave(const Host&, Stream&, std::uint32_t places);
  void issue(std::uint32_t actor, Host&, const Step&, std::uint32_t places);
  void run_stream(std::uint32_t actor, std::uint8_t stream);
  void execute(std::uint32_t actor, std::uint8_t stream, Stream&, const Pending&);
  void execute_segment(std::uint32_t actor, std::uint8_t stream, Stream&, const Pending&);
  void execute_wait(std::uint32_t actor, std::uint8_t stream, Stream&, const Pending&);
  void end_wait(std::uint32_t actor, std::uint8_t stream, Stream&, const Moment& set);
  void execute_mark(std::uint32_t actor, std::uint8_t stream, const Stream&, const Pending&);
  void check(std::uint32_t actor, const Step&) const;
  [[noreturn]] void bad_step(std::uint32_t actor, const Step&, const std::string& why) const;

  // Segments beside transfers, beside.cpp
  struct Outcome { Time end, busy, stolen; };
  static constexpr std::uint32_t flight_event(std::uint32_t flight) { return flight << 1; }
  static constexpr std::uint32_t segment_event(std::size_t of_stream) { return static_cast<std::uint32_t>(of_stream << 1 | 1); }
  Beside beside(std::uint32_t actor, std::uint8_t stream, Time t, Time& next) const;
  void open_segment(std::uint32_t actor, std::uint8_t stream, Stream&, const Pending&);
  void settle_segments(std::uint32_t actor);
  Outcome outcome(std::uint32_t actor, std::uint8_t stream, const OpenSegment&);
  bool is_certain(std::uint32_t actor, std::uint8_t stream, Time end) const;
  bool close_first(std::uint32_t actor);
  void close_segment(std::uint32_t actor, std::uint8_t stream, const Outcome&);
  void close_expected(std::size_t of_stream);

  // Event slots, slots.cpp
  void issue_wait(Slot&, Pending&);
  void issue_record(Slot&, Pending&, bool direct);
  bool host_wait(std::uint32_t actor, Host&, const Step&);
  std::uint32_t new_cell();
  void release(std::uint32_t cell);
  void set_cell(std::uint32_t actor, std::uint32_t cell, const Moment&);
  void settle(Slot&);

  // Transfers, flights.cpp
  Seat& seat(std::uint32_t actor, std::uint16_t slot);
  Seat find_seat(std::uint32_t actor, std::uint16_t slot) const;
  void join(std::uint32_t actor, std::uint8_t stream, Stream&, const Pending&);
  void start(std::uint32_t group, Gathering&);
  void note_takings(const Flight&);
  void check(const Flight&) const;
  void sort_by_end(Flight&) const;
  void begin(std::uint32_t flight);
  void move(std::uint32_t flight);
  void proceed(std::uint32_t flight);
  void schedule(std::uint32_t flight);
  void solve();
  void resume(const Flight&, std::uint32_t member);

  // deadlock.cpp
  void check_finished() const;
  bool finished(std::uint32_t actor) const;
  [[noreturn]] void deadlock(std::uint32_t actor) const;
  std::string blocked(std::uint32_t actor, std::uint32_t& because_of) const;
  std::string in_transfer(std::size_t stream, const Stream&, std::uint32_t& because_of) const;
  std::string in_wait(std::uint32_t actor, std::size_t stream) const;
  std::string host_state(std::uint32_t actor) const;
  std::string recorder(std::uint32_t actor, std::uint32_t slot) const;
  bool has_joined(std::uint32_t group, std::size_t member) const;

  Stream& stream(std::uint32_t actor, std::size_t s) { return streams_[actor * stream_count_ + s]; }
  const Stream& stream(std::uint32_t actor, std::size_t s) const { return streams_[actor * stream_count_ + s]; }
  Slot& slot(std::uint32_t actor, std::uint16_t s) { return slots_[actor * slot_count_ + s]; }
  SpanId next_span() { return observers_.empty() ? kNoSpan : spans_++; }
  template <class F> void tell(F&& f) { for (Observer* o : observers_) f(*o); }

  Workload& workload_;
  std::span<Observer* const> observers_;
  const std::uint32_t launch_queue_;
  const bool share_ports_;
  const std::size_t stream_count_, slot_count_;
  std::vector<Host> hosts_;
  std::vector<Stream> streams_;
  const bool takes_;                       // transfers take of their members; if not, the next three are empty
  std::vector<Taking> taking_;             // by stream
  std::vector<OpenSegment> open_;          // by stream
  std::vector<std::uint32_t> open_count_;  // by actor
  std::vector<Slot> slots_;
  std::vector<Cell> cells_;
  std::uint32_t free_cell_ = kNone;

  std::size_t seat_stride_ = 0;            // group slots per actor seen so far
  std::vector<Seat> seats_;                // actor * seat_stride_ + group slot
  std::vector<std::span<const ActorId>> members_;
  std::vector<std::uint32_t> first_place_; // of a group
  std::vector<std::uint8_t> seat_streams_; // by place; kUnseated until its first join
  static constexpr std::uint8_t kUnseated = 0xff;
  std::vector<Gathering> gatherings_;
  std::deque<Flight> flights_;             // a deque: references stay valid while others start
  std::vector<std::uint32_t> free_flights_;
  Contention contention_;
  EventQueue queue_;

  std::vector<std::uint8_t> awake_;        // streams of the actor at hand that may go on
  bool host_awake_ = false;
  Time now_{0};
  SpanId spans_ = 0;
  EngineCounters counters_;
};

}  // namespace moesim::kernel
