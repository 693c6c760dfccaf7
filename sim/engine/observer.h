// Observers see everything and change nothing.
//
// Each span carries a `cause`: the span whose end it waited for last (same stream, event slot, host wait, or the member that joined
// a transfer last), so that walking back from the last span gives the critical path. Spans of one stream come in the order of time;
// those of different streams may not, since streams run ahead of each other. kNoSpan means the start of the run.
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
  Time end;       // = max(ready + segment.device, issued + segment.lag)
  Segment segment;
  bool host_bound;  // issued + lag decided the end: the cause is the host's
};

struct TransferSpan {
  SpanId span;
  SpanId cause;
  ActorId actor;
  GroupId group;
  std::uint8_t stream;
  std::uint32_t id;
  BlockTag tag;
  Time joined;    // this member was ready
  Time started;   // the last member was ready
  Time end;       // of this member
};

struct WaitSpan {   // a stream held by a `wait`; only if it was held for > 0
  ActorId actor;
  std::uint8_t stream;
  std::uint16_t slot;
  BlockTag tag;
  Time begin, end;
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
