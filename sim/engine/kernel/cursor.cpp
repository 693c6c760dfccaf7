// One actor by itself: its host cursor issues steps, its streams run them.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "engine/kernel/kernel.h"

namespace moesim::kernel {
namespace {

/// When a stream reaches a step: it is free and the step has been issued.
Moment reached(const Stream& s, const Pending& step) { return s.free.time >= step.issued.time ? s.free : step.issued; }

/// In a launch queue. Only launches take places: records, waits and marks are commands without a kernel.
std::uint32_t places_of(const Pending& step) {
  return step.kind == StepKind::segment ? step.segment.kernels : step.kind == StepKind::transfer ? 1 : 0;
}

}  // namespace

void Kernel::advance(std::uint32_t actor) {
  for (;;) {
    if (!awake_.empty()) {
      const std::uint8_t s = awake_.back();
      awake_.pop_back();
      run_stream(actor, s);
    } else if (host_awake_) {
      host_awake_ = false;
      run_host(actor);
    } else if (!takes_ || !close_first(actor)) {
      return;
    }
  }
}

void Kernel::run_host(std::uint32_t actor) {
  Host& host = hosts_[actor];
  host.state = HostState::running;
  for (;;) {
    if (host.next == host.last && !fetch_block(actor, host)) return;
    const Step& step = *host.next;
    check(actor, step);
    if (step.kind == StepKind::host_wait) {
      if (!host_wait(actor, host, step)) return;
    } else {
      const std::uint32_t needed = places(actor, host, step);
      if (needed > 0 && !reserve(host, stream(actor, step.stream), needed)) {
        host.state = HostState::queue_full;
        host.blocked_on = step.stream;
        return;
      }
      issue(actor, host, step, needed);
    }
    ++host.next;
  }
}

bool Kernel::fetch_block(std::uint32_t actor, Host& host) {
  do {
    const std::optional<Block> block = workload_.next_block(ActorId{actor});
    if (!block) {
      host.state = HostState::finished;
      return false;
    }
    host.next = block->steps.data();
    host.last = host.next + block->steps.size();
    host.tag = block->tag;
  } while (host.next == host.last);
  return true;
}

/// Places that the step at the host's cursor needs in its launch queue; asks for the cost of a segment, once.
std::uint32_t Kernel::places(std::uint32_t actor, Host& host, const Step& step) {
  if (step.kind != StepKind::segment) return step.kind == StepKind::transfer ? 1 : 0;
  if (!host.has_segment) {
    host.segment = workload_.segment(ActorId{actor}, step.id, host.tag);
    host.has_segment = true;
    const auto& [h, d, l, kernels] = host.segment;
    if ((h.count() | d.count() | l.count()) < 0) bad_step(actor, step, "has a negative duration");
    if (std::max({h, d, l}) > kLongestTime) throw_too_long();
  }
  return host.segment.kernels;
}

/// Moves the host to when there is room in the launch queue; false if nobody knows yet. What is larger than the queue goes into an
/// empty one.
bool Kernel::reserve(Host& host, Stream& s, std::uint32_t needed) {
  const auto forget = [&] {
    s.leaving -= s.left.front().places;
    s.left.pop();
  };
  while (!s.left.empty() && s.left.front().time <= host.clock.time) forget();
  for (;;) {
    const std::uint64_t taken = std::uint64_t{s.held} + s.leaving;
    if (taken == 0 || taken + needed <= launch_queue_) return true;
    if (s.left.empty()) return false;
    host.clock = {s.left.front().time, s.left.front().cause};
    forget();
  }
}

/// A step leaves the launch queue now, at s.free or when it was issued, whichever is later; the host is past the latter.
void Kernel::leave(const Host& host, Stream& s, std::uint32_t places) {
  if (places == 0 || s.free.time <= host.clock.time) return;
  s.left.push() = {s.free.time, s.free.cause, places};
  s.leaving += places;
}

void Kernel::issue(std::uint32_t actor, Host& host, const Step& step, std::uint32_t places) {
  Stream& s = stream(actor, step.stream);
  Pending now;
  const bool direct = s.state == StreamState::free && s.pending.empty();
  Pending& p = direct ? now : s.pending.push();
  p.issued = host.clock;
  p.tag = host.tag;
  p.id = step.id;
  p.cell = kNone;
  p.kind = step.kind;
  p.slot = step.slot;
  if (step.kind == StepKind::segment) {
    p.segment = host.segment;
    host.has_segment = false;
    host.clock.time += p.segment.host;
    if (host.clock.time > kLongestTime) throw_too_long();
    ++counters_.segments;
    counters_.kernels += p.segment.kernels;
  } else if (step.kind == StepKind::record) {
    issue_record(slot(actor, step.slot), p, direct);
  } else if (step.kind == StepKind::wait) {
    issue_wait(slot(actor, step.slot), p);
  }
  if (direct) {
    leave(host, s, places);
    execute(actor, step.stream, s, p);
  } else {
    s.held += places;
  }
}

void Kernel::run_stream(std::uint32_t actor, std::uint8_t index) {
  Stream& s = stream(actor, index);
  const Host& host = hosts_[actor];
  while (s.state == StreamState::free && !s.pending.empty()) {
    const Pending& step = s.pending.front();  // nobody pushes while it runs
    const std::uint32_t places = places_of(step);
    s.held -= places;
    leave(host, s, places);
    if (places > 0 && host.state == HostState::queue_full && host.blocked_on == index) host_awake_ = true;
    execute(actor, index, s, step);
    s.pending.pop();
  }
}

void Kernel::execute(std::uint32_t actor, std::uint8_t index, Stream& s, const Pending& step) {
  switch (step.kind) {
    case StepKind::segment: return execute_segment(actor, index, s, step);
    case StepKind::transfer: return join(actor, index, s, step);
    case StepKind::wait: return execute_wait(actor, index, s, step);
    case StepKind::mark: return execute_mark(actor, index, s, step);
    case StepKind::record:
      if (step.cell == kNone) {
        slot(actor, step.slot).set = reached(s, step);
      } else {
        set_cell(actor, step.cell, reached(s, step));
      }
      return;
    case StepKind::host_wait: return;  // never put on a stream
  }
}

void Kernel::execute_segment(std::uint32_t actor, std::uint8_t index, Stream& s, const Pending& step) {
  if (takes_ && step.segment.device > Time{0}) return open_segment(actor, index, s, step);
  const Time by_device = s.free.time + step.segment.device;
  const Time by_host = step.issued.time + step.segment.lag;
  const Time end = std::max(by_device, by_host);
  if (end > kLongestTime) throw_too_long();
  if (!observers_.empty()) {
    const bool host_bound = by_host > by_device;
    const SegmentSpan span{next_span(), host_bound ? step.issued.cause : s.free.cause, ActorId{actor}, index, step.id, step.tag,
                           step.issued.time, s.free.time, end, step.segment, host_bound};
    s.free.cause = span.span;
    tell([&](Observer& o) { o.on_segment(span); });
  }
  s.free.time = end;
}

void Kernel::execute_wait(std::uint32_t actor, std::uint8_t index, Stream& s, const Pending& step) {
  s.target = step.slot;
  s.tag = step.tag;
  s.held_since = std::max(s.free.time, step.issued.time);
  if (step.cell == kNone) return end_wait(actor, index, s, {step.segment.device, step.segment.kernels});
  Cell& cell = cells_[step.cell];
  if (cell.is_set) {
    end_wait(actor, index, s, cell.set);
    return release(step.cell);
  }
  s.state = StreamState::in_wait;
  s.next_waiter = cell.first_waiter;
  cell.first_waiter = index;
}

void Kernel::end_wait(std::uint32_t actor, std::uint8_t index, Stream& s, const Moment& set) {
  s.state = StreamState::free;
  if (set.time > s.free.time) s.free = set;
  if (set.time <= s.held_since || observers_.empty()) return;
  const WaitSpan span{ActorId{actor}, index, static_cast<std::uint16_t>(s.target), s.tag, s.held_since, set.time, set.cause};
  tell([&](Observer& o) { o.on_wait(span); });
}

void Kernel::execute_mark(std::uint32_t actor, std::uint8_t index, const Stream& s, const Pending& step) {
  if (observers_.empty()) return;
  const Time time = reached(s, step).time;
  tell([&](Observer& o) { o.on_mark(ActorId{actor}, index, step.id, step.tag, time); });
}

void Kernel::check(std::uint32_t actor, const Step& step) const {
  if (step.kind > StepKind::mark) bad_step(actor, step, "has an unknown kind");
  if (step.kind != StepKind::host_wait && step.stream >= stream_count_) bad_step(actor, step, "is on no stream: there are " + std::to_string(stream_count_));
  const bool uses_slot = step.kind == StepKind::record || step.kind == StepKind::wait || step.kind == StepKind::host_wait;
  if (uses_slot && step.slot >= slot_count_) bad_step(actor, step, "is about no event slot: there are " + std::to_string(slot_count_));
}

void Kernel::bad_step(std::uint32_t actor, const Step& step, const std::string& why) const {
  throw InternalError("engine: a step of actor " + std::to_string(actor) + " (kind " + std::to_string(static_cast<int>(step.kind)) + ", stream " +
                      std::to_string(step.stream) + ", slot " + std::to_string(step.slot) + ", id " + std::to_string(step.id) + ") " + why);
}

}  // namespace moesim::kernel
