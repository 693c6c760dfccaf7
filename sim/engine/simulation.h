// The state of one run: hosts, streams, event cells, and the group transfers in flight.
//
// Streams run ahead: between transfers every time follows from max and plus, so nothing is queued for it; the only events are those that
// actors see of each other: a transfer's bytes begin to move, and a member of it is finished. Whatever an event at time t
// sets free happens at t or later, so an actor is advanced as far as it goes, once.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "engine/event_queue.h"
#include "engine/fluid.h"
#include "engine/ring.h"

namespace moesim {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

class Simulation {
 public:
  Simulation(Workload&, std::span<Observer* const>, const EngineOptions&);
  RunResult run();

 private:
  /// One recording of an event slot: set when its stream gets there; lives while someone may still ask.
  struct Cell {
    Time time{0};
    SpanId span = kNoSpan;
    std::uint32_t references = 0;
    std::uint32_t waiting = 0;       // bit s: stream s waits for it; kHostBit: the host does
    bool set = false;
  };
  struct Issued {                    // a step that the host has issued and its stream has not run
    Step step;
    BlockTag tag;
    Time at{0};                      // host clock
    SpanId host_cause = kNoSpan;
    std::uint32_t cell = kNone;      // record, wait
    Segment segment;
  };
  struct Stream {
    Ring<Issued> queue;
    Time free{0};
    SpanId cause = kNoSpan;          // the span that decided `free`
    bool in_transfer = false;
  };
  struct Host {
    Block block;
    std::size_t next = 0;            // step in block
    Time clock{0};
    SpanId cause = kNoSpan;
    std::uint32_t waits_for = kNone; // cell
    std::uint8_t full_stream = 0xFF; // stream whose queue is full
    bool done = false;
  };
  struct Place { GroupId group; std::uint32_t member = kNone; };   // of an actor in the group of one group slot
  struct Joined { Time at{0}; SpanId cause = kNoSpan; };
  struct Instance {                  // one transfer of a group
    GroupId group;
    std::uint32_t id = 0;
    BlockTag tag;
    std::uint32_t joined = 0;
    Time start{0};                   // latest join
    SpanId cause = kNoSpan;          // of the latest join
    std::vector<Joined> members;
    const Transfer* what = nullptr;
    // Once all have joined:
    FluidFlow flow;
    bool moving = false, shared = false, visited = false;
    Time updated{0};                 // progress is as of here
    Wide progress = 0;               // alone-time << kSpeedBits
    std::uint64_t event = 0;         // sequence of the event that counts
    std::vector<std::uint32_t> order;// members by the time they finish
    std::size_t finished = 0;
  };
  struct Group {
    std::span<const ActorId> members;
    std::vector<std::uint64_t> joins;            // of each member: transfers joined so far
    std::vector<std::uint8_t> stream;            // that each member uses
    std::array<std::uint32_t, 2> open{kNone, kNone};   // instances by parity of their number
  };
  static constexpr std::uint32_t kHostBit = 31;

  // simulation.cpp: hosts and streams
  void advance(std::uint32_t actor);
  void run_host(std::uint32_t actor);
  bool issue(std::uint32_t actor, const Step&, BlockTag);
  void run_stream(std::uint32_t actor, std::uint8_t stream);
  bool run_step(std::uint32_t actor, std::uint8_t stream, Issued&);
  void run_segment(std::uint32_t actor, std::uint8_t stream, const Issued&);
  bool run_wait(std::uint32_t actor, std::uint8_t stream, const Issued&);
  void set_cell(std::uint32_t actor, std::uint32_t cell, Time, SpanId);
  std::uint32_t new_cell();
  void release(std::uint32_t cell);
  Stream& stream(std::uint32_t actor, std::uint8_t s) { return streams_[actor * stream_count_ + s]; }

  // transfers.cpp: joining, starting, moving, finishing
  void join(std::uint32_t actor, std::uint8_t stream, const Issued&);
  Place place(std::uint32_t actor, std::uint16_t slot);
  std::uint32_t open_instance(Group&, GroupId, std::uint64_t number, const Issued&);
  void start(std::uint32_t instance);
  void begin_moving(Instance&, std::uint32_t index);
  void add_loads(Instance&, const Group&);
  bool crowded(const Instance&) const;
  void schedule(std::uint32_t instance);
  void on_event(std::uint32_t instance, Time now);
  void finish_member(Instance&, std::uint32_t member, Time now);
  void close(std::uint32_t instance);
  void update(Instance&, Time now);
  void share_ports(Time now);
  void collect(std::uint32_t instance);
  [[noreturn]] void report_deadlock();

  Workload& workload_;
  std::span<Observer* const> observers_;
  EngineOptions options_;
  std::size_t stream_count_, slot_count_;
  std::vector<Host> hosts_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> slots_;             // [actor][event slot]: latest cell
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> free_cells_;
  std::vector<std::vector<Place>> places_;       // [actor][group slot]
  std::vector<Group> groups_;
  std::deque<Instance> instances_;               // addresses stay
  std::vector<std::uint32_t> free_instances_;
  FluidSolver solver_;
  std::vector<std::vector<std::uint32_t>> port_users_;   // of each port: instances that load it
  std::vector<std::uint32_t> dirty_;             // instances whose ports changed hands at this instant
  std::vector<std::uint32_t> component_;         // scratch of share_ports
  EventQueue queue_;
  std::uint32_t runnable_ = 0;                   // streams of the actor being advanced, and its host
  SpanId next_span_ = 0;
  RunResult result_;
};

}  // namespace moesim
