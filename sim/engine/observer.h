// Observers see everything and change nothing.
//
// Each span carries a `cause`: the span whose end it waited for last (same stream, event slot, host wait, or the member that joined
// a transfer last, or a place in the launch queue), so that walking back from the last span gives the critical path. Spans are numbered
// 0, 1, 2 ... in the order of the calls, causes before effects; kNoSpan means the start of the run. What lies between the end of the cause
// and `issued` (host-bound segment), `ready` (other segments) or `started` (transfer) is time of a host alone: the actor's, or for
// transfers that of `last`. Spans of one stream come in the order of time; those of different streams may not, since streams run ahead
// of each other.
#pragma once

#include <cstdint>

#include "engine/workload.h"

namespace moesim {

using SpanId = std::uint32_t;
constexpr SpanId kNoSpan = ~SpanId{0};

struct SegmentSpan {
  SpanId span;
  SpanId cause;
  ActorId actor;
  std::uint8_t stream;
  std::uint32_t id;
  BlockTag tag;
  Time issued;    // host clock when its first kernel's host work began
  Time ready;     // the stream was free and its waits were over
  Time end;       // = max(ready + segment.device, issued + segment.lag) with nothing beside it
  Segment segment;  // with nothing beside it
  bool host_bound;  // its kernels did not run back to back from `ready`: the cause is the host's
  Time stolen{0};   // by how much its kernels took longer because transfers held SMs,
  Time shared{0};   // and used memory
};

struct TransferSpan {
  SpanId span;
  SpanId cause;
  ActorId actor;
  GroupId group;
  std::uint8_t stream;
  std::uint32_t id;
  BlockTag tag;   // of this member's step
  Time joined;    // this member was ready
  Time started;   // the last member was ready
  Time end;       // of this member
  ActorId last;   // the member that was ready last, the first in group order if several were
};

struct WaitSpan {   // a stream held by a `wait`; only if it was held for > 0
  ActorId actor;
  std::uint8_t stream;
  std::uint16_t slot;
  BlockTag tag;
  Time begin;     // the stream was free and the wait had been issued
  Time end;
  SpanId cause;   // the span after which the slot was recorded
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_segment(const SegmentSpan&) {}
  virtual void on_transfer(const TransferSpan&) {}
  virtual void on_wait(const WaitSpan&) {}
  virtual void on_host_wait(ActorId, Time /*begin*/, Time /*end*/, SpanId /*cause*/) {}
  virtual void on_mark(ActorId, std::uint8_t /*stream*/, std::uint32_t /*id*/, BlockTag, Time) {}
};

}  // namespace moesim
