// Segments beside transfers: how far they are, and when nothing can change their ends any more.
//
// Where transfers take of their members, a stream that reaches a segment stops there until all that its actor can still do before the
// segment's end is known: every transfer that runs beside it ends later for sure. Else its end, as it looks now, is an event; whatever changes the
// pace before then brings the segment up to that instant first.
#include <algorithm>

#include "engine/kernel/kernel.h"

namespace moesim::kernel {

/// What the other streams' transfers take at `t`, and when, as far as known, they take more.
Beside Kernel::beside(std::uint32_t actor, std::uint8_t index, Time t, Time& next) const {
  Beside out;
  next = Time::max();
  for (std::size_t o = 0; o < stream_count_; ++o) {
    const Stream& s = stream(actor, o);
    if (o == index || s.state != StreamState::in_transfer) continue;
    const Taking& k = taking_[actor * stream_count_ + o];
    const auto from = [&](Time since, const Beside& b) {
      if (since <= t) out += b;
      else if (!b.nothing()) next = std::min(next, since);
    };
    from(s.held_since, k.held);
    from(k.memory_since, {0, 0, k.memory});
  }
  return out;
}

void Kernel::open_segment(std::uint32_t actor, std::uint8_t index, Stream& s, const Pending& step) {
  s.state = StreamState::in_segment;
  open_[actor * stream_count_ + index] = {step.segment, step.issued, step.tag, step.id, Position::start(step.issued.time, s.free.time), s.free.time, Time{0}, 0};
  ++open_count_[actor];
}

/// Brings the actor's segments up to now: something is about to change beside them.
void Kernel::settle_segments(std::uint32_t actor) {
  if (!takes_ || open_count_[actor] == 0) return;
  for (std::size_t i = 0; i < stream_count_; ++i) {
    if (stream(actor, i).state != StreamState::in_segment) continue;
    OpenSegment& o = open_[actor * stream_count_ + i];
    while (o.seen < now_) {
      Time next{0};
      const Beside b = beside(actor, static_cast<std::uint8_t>(i), o.seen, next);
      const Time until = std::min(next, now_);
      go_on(o.at, workload_.paced(ActorId{actor}, o.id, o.tag, b), until);
      o.seen = until;
    }
  }
}

/// How the segment ends if nothing changes that is not known yet.
Kernel::Outcome Kernel::outcome(std::uint32_t actor, std::uint8_t index, const OpenSegment& o) {
  Position p = o.at;
  Time t = o.seen, next{0};
  Beside b = beside(actor, index, t, next);
  if (p.at_start()) {
    const PacedSegment paced = b.nothing() ? PacedSegment{o.segment, o.segment.device, Time{0}, {}} : workload_.paced(ActorId{actor}, o.id, o.tag, b);
    const Time end = std::max(p.free + paced.segment.device, o.issued.time + paced.segment.lag);
    if (end <= next) return {end, paced.segment.device, paced.by_sms - o.segment.device};
  }
  while (!go_on(p, workload_.paced(ActorId{actor}, o.id, o.tag, b), next)) {
    t = next;
    b = beside(actor, index, t, next);
  }
  return {p.free, p.busy, std::min(Time{static_cast<std::int64_t>(p.stolen)}, p.busy - o.segment.device)};
}

/// Whether all that runs beside the segment of `index` outlasts `end`.
bool Kernel::is_certain(std::uint32_t actor, std::uint8_t index, Time end) const {
  if (end <= now_) return true;
  for (std::size_t o = 0; o < stream_count_; ++o)
    if (o != index && stream(actor, o).state == StreamState::in_transfer && taking_[actor * stream_count_ + o].not_before < end) return false;
  return true;
}

/// Ends the actor's first segment to end, if that is certain. If not, an event is set for each: true if a stream may go on.
bool Kernel::close_first(std::uint32_t actor) {
  if (open_count_[actor] == 0) return false;
  std::size_t first = stream_count_;
  Outcome how{Time::max(), Time{0}, Time{0}};
  for (std::size_t i = 0; i < stream_count_; ++i) {
    if (stream(actor, i).state != StreamState::in_segment) continue;
    OpenSegment& o = open_[actor * stream_count_ + i];
    const Outcome out = outcome(actor, static_cast<std::uint8_t>(i), o);
    if (out.end > kLongestTime) throw_too_long();
    if (out.end < how.end) first = i, how = out;
    if (o.event == 0 || o.expected != out.end) o.expected = out.end, o.event = 0;
  }
  if (is_certain(actor, static_cast<std::uint8_t>(first), how.end)) {
    close_segment(actor, static_cast<std::uint8_t>(first), how);
    return true;
  }
  for (std::size_t i = 0; i < stream_count_; ++i) {
    OpenSegment& o = open_[actor * stream_count_ + i];
    if (stream(actor, i).state == StreamState::in_segment && o.event == 0) o.event = queue_.push(o.expected, segment_event(actor * stream_count_ + i));
  }
  return false;
}

void Kernel::close_segment(std::uint32_t actor, std::uint8_t index, const Outcome& how) {
  Stream& s = stream(actor, index);
  OpenSegment& o = open_[actor * stream_count_ + index];
  --open_count_[actor];
  o.event = 0;
  s.state = StreamState::free;
  if (!observers_.empty()) {
    const bool host_bound = how.end > s.free.time + how.busy;
    const SegmentSpan span{next_span(), host_bound ? o.issued.cause : s.free.cause, ActorId{actor}, index, o.id, o.tag, o.issued.time, s.free.time,
                           how.end, o.segment, host_bound, how.stolen, how.busy - o.segment.device - how.stolen};
    s.free.cause = span.span;
    tell([&](Observer& watcher) { watcher.on_segment(span); });
  }
  s.free.time = how.end;
  awake_.push_back(index);
}

/// The event of an open segment: it is over, unless something that nobody knew of then has slowed it down.
void Kernel::close_expected(std::size_t of_stream) {
  open_[of_stream].event = 0;
  advance(static_cast<std::uint32_t>(of_stream / stream_count_));
}

}  // namespace moesim::kernel
