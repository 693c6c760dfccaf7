// What the kernel remembers while it runs: per actor a host cursor and some streams, per group what gathers, per transfer how far it is.
#pragma once

#include <vector>

#include "engine/kernel/fixed.h"
#include "engine/kernel/pace.h"
#include "engine/kernel/ring.h"
#include "engine/observer.h"
#include "engine/workload.h"

namespace moesim::kernel {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A moment and the span whose end brought it about.
struct Moment {
  Time time{0};
  SpanId cause = kNoSpan;
};

/// A step that the host has issued and its stream has not reached.
struct Pending {
  Segment segment;       // of a segment; of a wait that was satisfied when issued, segment.device is the time of the record
  Moment issued;
  BlockTag tag;
  std::uint32_t id;
  std::uint32_t cell;    // of a record or a wait, or kNone
  StepKind kind;
  std::uint16_t slot;
};

/// A step that left the launch queue.
struct Left {
  Time time{0};
  SpanId cause = kNoSpan;
  std::uint32_t places = 0;
};

enum class StreamState : std::uint8_t { free, in_transfer, in_wait, in_segment };

struct Stream {
  Moment free;                   // when what it did so far is done
  StreamState state = StreamState::free;
  std::uint16_t next_waiter = 0; // on the same cell
  std::uint32_t held = 0;        // places of its launch queue that pending steps take
  std::uint32_t leaving = 0;     // and that the steps of `left` do
  // The step that holds it:
  std::uint32_t id = 0;          // transfer
  std::uint32_t target = 0;      // group, or event slot
  BlockTag tag;
  Time held_since{0};
  Ring<Pending> pending;
  Ring<Left> left;               // what left the launch queue at times that the host has not reached
};

/// What a stream's transfer takes of its actor, while it is in one.
struct Taking {
  Beside held;                   // since it joined
  std::int32_t memory = 0;       // known from when the last member has joined
  Time memory_since{0};
  Time not_before{0};            // its end
};

/// A segment that a stream is in, in an actor of whom transfers take.
struct OpenSegment {
  Segment segment;               // beside nothing
  Moment issued;
  BlockTag tag;
  std::uint32_t id = 0;
  Position at;                   // as of
  Time seen{0};
  Time expected{0};              // its end, for which
  std::uint64_t event = 0;       // is set; 0 = none
};

enum class HostState : std::uint8_t { running, queue_full, waiting, finished };

struct Host {
  Moment clock;
  const Step* next = nullptr;
  const Step* last = nullptr;
  BlockTag tag;
  Segment segment;               // cost of the step at `next`, if has_segment
  bool has_segment = false;
  HostState state = HostState::running;
  std::uint8_t blocked_on = 0;   // stream whose queue is full
  std::uint16_t wait_slot = 0;
};

/// An event slot: the latest record that the host issued.
struct Slot {
  Moment set;                    // valid if cell is kNone; never recorded: time 0, no cause, which satisfies any wait at once
  std::uint32_t cell = kNone;    // the record has not been reached (as far as known)
};

constexpr std::uint16_t kNoWaiter = 0xffff;

/// A record that its stream has not reached, shared by the slot and by the waits that refer to it.
struct Cell {
  Moment set;
  std::uint32_t references = 0;  // next free cell when there are none
  std::uint16_t first_waiter = kNoWaiter;  // stream
  bool is_set = false;
  bool host_waits = false;
};

/// An actor's seat in a group.
struct Seat {
  std::uint32_t group = kNone;
  std::uint32_t place = 0;       // in Kernel::seat_streams_
};

/// The transfer of a group whose members are joining.
struct Gathering {
  Moment latest;                 // the member that is ready last, the first in group order if several are
  std::uint32_t joined = 0;
  std::uint32_t id = 0;
  std::uint32_t last_place = 0;
  BlockTag tag;
};

/// A transfer that all members have joined.
struct Flight {
  const Transfer* transfer = nullptr;
  std::uint32_t group = 0;
  std::uint32_t id = 0;
  ActorId last;                  // who joined last
  Moment started;
  Time since{0};                 // `progress` is as of then
  Progress progress = 0;
  Speed speed = kFullSpeed;
  std::uint64_t event = 0;       // sequence number of its event, 0 = none
  std::uint32_t ended = 0;       // members in the order of their ends
  bool moving = false;           // its loads have begun
  bool contended = false;
  std::vector<std::uint32_t> order;  // members by end; empty if all end together
};

}  // namespace moesim::kernel
