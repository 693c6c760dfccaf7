#include "engine/simulation.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.h"

namespace moesim {
namespace {

std::vector<std::int64_t> capacities(const Workload& w) {
  std::vector<std::int64_t> out;
  for (std::uint32_t a = 0; a < w.actors(); ++a)
    for (std::size_t p = 0; p < kPorts; ++p) {
      out.push_back(w.capacity(ActorId(a), static_cast<Port>(p)));
      if (out.back() <= 0) throw InternalError("a port without capacity");
    }
  return out;
}

}  // namespace

Simulation::Simulation(Workload& w, std::span<Observer* const> observers, const EngineOptions& options)
    : workload_(w), observers_(observers), options_(options), stream_count_(w.streams()), slot_count_(w.event_slots()), hosts_(w.actors()), streams_(w.actors() * w.streams()),
      slots_(w.actors() * w.event_slots(), kNone), places_(w.actors()), groups_(w.groups()), solver_(capacities(w)), port_users_(w.actors() * kPorts) {
  if (stream_count_ >= kHostBit) throw InternalError("too many streams");
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    groups_[g].members = w.members(GroupId(g));
    groups_[g].joins.assign(groups_[g].members.size(), 0);
    groups_[g].stream.assign(groups_[g].members.size(), 0xFF);
  }
}

RunResult Simulation::run() {
  for (std::uint32_t a = 0; a < hosts_.size(); ++a) advance(a);
  Time now{0};
  while (!queue_.empty() || !dirty_.empty()) {
    if (!dirty_.empty() && (queue_.empty() || queue_.top().time > now)) {   // rates are solved once an instant
      share_ports(now);
      continue;
    }
    const Event e = queue_.pop();
    if (instances_[e.owner()].event != e.sequence()) continue;   // overtaken
    now = e.time;
    ++result_.counters.events;
    on_event(e.owner(), now);
    result_.counters.max_pending = std::max<std::uint64_t>(result_.counters.max_pending, queue_.size());
  }
  for (std::uint32_t a = 0; a < hosts_.size(); ++a)
    if (!hosts_[a].done) report_deadlock();
  for (const Stream& s : streams_) {
    if (s.in_transfer || !s.queue.empty()) report_deadlock();
    result_.end = std::max(result_.end, s.free);
  }
  return result_;
}

/// Runs the actor's host and streams until each of them waits for something that is not decided yet.
void Simulation::advance(std::uint32_t actor) {
  runnable_ = (1u << kHostBit) | ((1u << stream_count_) - 1);
  while (runnable_ != 0) {
    if (runnable_ >> kHostBit) {
      runnable_ &= ~(1u << kHostBit);
      run_host(actor);
      continue;
    }
    const auto s = static_cast<std::uint8_t>(std::countr_zero(runnable_));
    runnable_ &= ~(1u << s);
    run_stream(actor, s);
  }
}

void Simulation::run_host(std::uint32_t actor) {
  Host& h = hosts_[actor];
  if (h.done || h.waits_for != kNone || h.full_stream != 0xFF) return;
  while (true) {
    if (h.next == h.block.steps.size()) {
      const std::optional<Block> next = workload_.next_block(ActorId(actor));
      if (!next) {
        h.done = true;
        return;
      }
      h.block = *next;
      h.next = 0;
      continue;
    }
    if (!issue(actor, h.block.steps[h.next], h.block.tag)) return;
  }
}

/// Issues one step; false if the host has to stop before or at it.
bool Simulation::issue(std::uint32_t actor, const Step& step, BlockTag tag) {
  Host& h = hosts_[actor];
  if (step.kind == StepKind::host_wait) {
    ++h.next;
    const std::uint32_t slot = slots_[actor * slot_count_ + step.slot];
    if (slot == kNone) return true;
    Cell& c = cells_[slot];
    if (!c.set) {
      c.waiting |= 1u << kHostBit;
      ++c.references;
      h.waits_for = slot;
      return false;
    }
    if (c.time > h.clock) {
      for (Observer* o : observers_) o->on_host_wait(ActorId(actor), h.clock, c.time, c.span);
      h.clock = c.time;
      h.cause = c.span;
    }
    return true;
  }
  Stream& s = stream(actor, step.stream);
  if (s.queue.size() >= options_.launch_queue_steps) {
    h.full_stream = step.stream;
    return false;
  }
  ++h.next;
  Issued out{step, tag, h.clock, h.cause, kNone, {}};
  if (step.kind == StepKind::segment) {
    out.segment = workload_.segment(ActorId(actor), step.id, tag);
    h.clock += out.segment.host;
  } else if (step.kind == StepKind::record) {
    std::uint32_t& slot = slots_[actor * slot_count_ + step.slot];
    if (slot != kNone) release(slot);
    slot = new_cell();
    out.cell = slot;
    cells_[slot].references = 2;   // the slot's and the step's
  } else if (step.kind == StepKind::wait) {
    const std::uint32_t slot = slots_[actor * slot_count_ + step.slot];
    if (slot == kNone) return true;
    out.cell = slot;
    ++cells_[slot].references;
  }
  s.queue.push(out);
  runnable_ |= 1u << step.stream;
  return true;
}

void Simulation::run_stream(std::uint32_t actor, std::uint8_t index) {
  Stream& s = stream(actor, index);
  while (!s.queue.empty() && !s.in_transfer) {
    if (!run_step(actor, index, s.queue.front())) return;
    s.queue.pop();
    Host& h = hosts_[actor];
    if (h.full_stream == index) {   // room again: the host goes on when the stream had got this far
      h.full_stream = 0xFF;
      if (s.free > h.clock) {
        h.clock = s.free;
        h.cause = s.cause;
      }
      runnable_ |= 1u << kHostBit;
    }
  }
}

/// Runs the step at the head of a stream; false if it has to wait for something undecided.
bool Simulation::run_step(std::uint32_t actor, std::uint8_t index, Issued& step) {
  Stream& s = stream(actor, index);
  switch (step.step.kind) {
    case StepKind::segment: run_segment(actor, index, step); return true;
    case StepKind::transfer: join(actor, index, step); return true;
    case StepKind::wait: return run_wait(actor, index, step);
    case StepKind::record: {
      const bool late = step.at > s.free;
      set_cell(actor, step.cell, late ? step.at : s.free, late ? step.host_cause : s.cause);
      release(step.cell);
      return true;
    }
    case StepKind::mark:
      for (Observer* o : observers_) o->on_mark(ActorId(actor), index, step.step.id, step.tag, std::max(s.free, step.at));
      return true;
    case StepKind::host_wait: break;
  }
  throw InternalError("a host step on a stream");
}

void Simulation::run_segment(std::uint32_t actor, std::uint8_t index, const Issued& step) {
  Stream& s = stream(actor, index);
  const Time ready = s.free, by_device = ready + step.segment.device, by_host = step.at + step.segment.lag;
  const bool host_bound = by_host > by_device;
  const SpanId cause = host_bound ? step.host_cause : s.cause;
  s.free = host_bound ? by_host : by_device;
  s.cause = next_span_++;
  ++result_.counters.segments;
  result_.counters.kernels += step.segment.kernels;
  for (Observer* o : observers_)
    o->on_segment({s.cause, cause, ActorId(actor), index, step.step.id, step.tag, step.at, ready, s.free, step.segment, host_bound});
}

bool Simulation::run_wait(std::uint32_t actor, std::uint8_t index, const Issued& step) {
  Stream& s = stream(actor, index);
  Cell& c = cells_[step.cell];
  if (!c.set) {
    c.waiting |= 1u << index;
    return false;
  }
  if (c.time > s.free) {
    for (Observer* o : observers_) o->on_wait({ActorId(actor), index, step.step.slot, step.tag, s.free, c.time, c.span});
    s.free = c.time;
    s.cause = c.span;
  }
  release(step.cell);
  return true;
}

void Simulation::set_cell(std::uint32_t actor, std::uint32_t index, Time time, SpanId span) {
  Cell& c = cells_[index];
  c.time = time;
  c.span = span;
  c.set = true;
  runnable_ |= c.waiting;
  if (c.waiting >> kHostBit) {
    Host& h = hosts_[actor];
    if (time > h.clock) {
      for (Observer* o : observers_) o->on_host_wait(ActorId(actor), h.clock, time, span);
      h.clock = time;
      h.cause = span;
    }
    h.waits_for = kNone;
    release(index);
  }
}

std::uint32_t Simulation::new_cell() {
  if (free_cells_.empty()) {
    cells_.emplace_back();
    return static_cast<std::uint32_t>(cells_.size() - 1);
  }
  const std::uint32_t c = free_cells_.back();
  free_cells_.pop_back();
  cells_[c] = {};
  return c;
}

void Simulation::release(std::uint32_t cell) {
  if (--cells_[cell].references == 0) free_cells_.push_back(cell);
}

void Simulation::report_deadlock() {
  for (std::uint32_t a = 0; a < hosts_.size(); ++a)
    for (std::uint8_t i = 0; i < stream_count_; ++i) {
      const Stream& s = stream(a, i);
      const std::string where = "deadlock: actor " + std::to_string(a) + ", stream " + std::to_string(i);
      if (s.in_transfer)
        for (const Group& g : groups_)
          for (const std::uint32_t open : g.open) {
            if (open == kNone || instances_[open].what) continue;
            for (std::size_t m = 0; m < g.members.size(); ++m)
              if (g.members[m] == ActorId(a) && instances_[open].members[m].at.count() >= 0) {
                std::string missing;
                for (std::size_t o = 0; o < g.members.size(); ++o)
                  if (instances_[open].members[o].at.count() < 0) missing += (missing.empty() ? "" : ", ") + std::to_string(g.members[o].value());
                throw InternalError(where + " waits in transfer " + std::to_string(instances_[open].id) + " of group " +
                                    std::to_string(instances_[open].group.value()) + " for actors " + missing);
              }
          }
      if (!s.in_transfer && !s.queue.empty() && s.queue.front().step.kind == StepKind::wait)
        throw InternalError(where + " waits for event slot " + std::to_string(s.queue.front().step.slot) + ", which is never recorded");
    }
  throw InternalError("deadlock: a host waits for an event that is never recorded");
}

RunResult run(Workload& workload, std::span<Observer* const> observers, const EngineOptions& options) {
  return Simulation(workload, observers, options).run();
}

}  // namespace moesim
