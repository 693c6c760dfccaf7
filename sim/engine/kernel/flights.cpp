// Transfers: members gather, loads begin, members end.
#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "engine/kernel/kernel.h"

namespace moesim::kernel {
namespace {

std::string text(std::uint32_t n) { return std::to_string(n); }

}  // namespace

/// The seat behind the actor's group slot, looked up once.
Seat& Kernel::seat(std::uint32_t actor, std::uint16_t group_slot) {
  if (group_slot >= seat_stride_) {
    const std::size_t stride = std::max<std::size_t>(group_slot + 1U, 2 * seat_stride_);
    std::vector<Seat> wider(hosts_.size() * stride);
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
      std::copy_n(seats_.begin() + static_cast<std::ptrdiff_t>(a * seat_stride_), seat_stride_,
                  wider.begin() + static_cast<std::ptrdiff_t>(a * stride));
    }
    seats_ = std::move(wider);
    seat_stride_ = stride;
  }
  Seat& known = seats_[actor * seat_stride_ + group_slot];
  if (known.group == kNone) known = find_seat(actor, group_slot);
  return known;
}

Seat Kernel::find_seat(std::uint32_t actor, std::uint16_t group_slot) const {
  const std::uint32_t group = workload_.group(ActorId{actor}, group_slot).value();
  if (group >= members_.size()) {
    throw InternalError("engine: group slot " + text(group_slot) + " of actor " + text(actor) + " is group " + text(group) + " of " +
                        std::to_string(members_.size()));
  }
  const auto members = members_[group];
  const auto me = std::find(members.begin(), members.end(), ActorId{actor});
  if (me == members.end()) throw InternalError("engine: actor " + text(actor) + " is no member of its group " + text(group));
  return {group, first_place_[group] + static_cast<std::uint32_t>(me - members.begin())};
}

void Kernel::join(std::uint32_t actor, std::uint8_t index, Stream& s, const Pending& step) {
  const Seat my = seat(actor, step.slot);
  std::uint8_t& my_stream = seat_streams_[my.place];
  if (my_stream == kUnseated) my_stream = index;
  if (my_stream != index) {
    throw InternalError("engine: actor " + text(actor) + " uses group " + text(my.group) + " from stream " + text(index) +
                        " after stream " + text(my_stream) + "; a group belongs to one stream");
  }
  Gathering& g = gatherings_[my.group];
  if (g.joined > 0 && g.id != step.id) {
    throw InternalError("engine: actor " + text(actor) + " joins group " + text(my.group) + " with transfer " + text(step.id) +
                        ", actor " + text(members_[my.group][g.last_place - first_place_[my.group]].value()) + " with transfer " +
                        text(g.id));
  }
  const bool by_stream = s.free.time >= step.issued.time;
  const Moment ready = by_stream ? s.free : step.issued;
  s.state = StreamState::in_transfer;
  s.id = step.id;
  s.target = my.group;
  s.tag = step.tag;
  s.held_since = ready.time;
  if (takes_) taking_[actor * stream_count_ + index] = {workload_.held(GroupId{my.group}, step.id), 0, Time{0}, ready.time};
  if (g.joined == 0 || ready.time > g.latest.time || (ready.time == g.latest.time && my.place < g.last_place)) {
    g.latest = ready;
    g.last_place = my.place;
    g.tag = step.tag;
  }
  g.id = step.id;
  if (++g.joined == members_[my.group].size()) start(my.group, g);
}

void Kernel::start(std::uint32_t group, Gathering& g) {
  std::uint32_t index = 0;
  if (free_flights_.empty()) {
    index = static_cast<std::uint32_t>(flights_.size());
    if (index == EventQueue::kMaxSlots / 2) throw InternalError("engine: more than 2^27 transfers at one time");
    flights_.emplace_back();
  } else {
    index = free_flights_.back();
    free_flights_.pop_back();
  }
  Flight& f = flights_[index];
  f.transfer = &workload_.transfer(GroupId{group}, g.id, g.tag);
  f.group = group;
  f.id = g.id;
  f.last = members_[group][g.last_place - first_place_[group]];
  f.started = g.latest;
  f.progress = 0;
  f.speed = kFullSpeed;
  f.ended = 0;
  f.moving = f.contended = false;
  g.joined = 0;
  ++counters_.transfers;
  check(f);
  sort_by_end(f);
  f.event = queue_.push(f.started.time + f.transfer->latency, flight_event(index));
  if (takes_) note_takings(f);
}

/// What the members' streams take, and until when at least, is known now.
void Kernel::note_takings(const Flight& f) {
  const Time moves = f.started.time + f.transfer->latency;
  for (std::uint32_t m = 0; m < members_[f.group].size(); ++m) {
    Taking& t = taking_[members_[f.group][m].index() * stream_count_ + seat_streams_[first_place_[f.group] + m]];
    t.memory = f.transfer->memory;
    t.memory_since = moves;
    t.not_before = moves + f.transfer->member(m).done;
  }
}

void Kernel::check(const Flight& f) const {
  const Transfer& t = *f.transfer;
  const std::size_t n = members_[f.group].size();
  bool good = t.latency.count() >= 0 && t.span.count() >= 0 && (t.members.size() == 1 || t.members.size() == n);
  for (const Transfer::Member& m : t.members) good = good && m.done.count() >= 0 && m.done <= t.span;
  if (good && std::max(t.latency, t.span) > kLongestTime) throw_too_long();
  if (good) return;
  throw InternalError("engine: transfer " + text(f.id) + " of group " + text(f.group) + " (" + std::to_string(n) +
                      " members) must have latency, span >= 0, 0 <= done <= span, and one entry or one a member; it has latency " +
                      std::to_string(t.latency.count()) + " ps, span " + std::to_string(t.span.count()) + " ps, " +
                      std::to_string(t.members.size()) + " entries");
}

void Kernel::sort_by_end(Flight& f) const {
  f.order.clear();
  const auto& m = f.transfer->members;
  const auto differs = [&](const Transfer::Member& x) { return x.done != m.front().done; };
  if (std::none_of(m.begin(), m.end(), differs)) return;
  f.order.resize(m.size());
  std::iota(f.order.begin(), f.order.end(), 0U);
  std::sort(f.order.begin(), f.order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return m[a].done != m[b].done ? m[a].done < m[b].done : a < b; });
}

/// The loads begin.
void Kernel::begin(std::uint32_t flight) {
  Flight& f = flights_[flight];
  f.moving = true;
  f.since = now_;
  if (share_ports_ && f.transfer->span > Time{0}) contention_.begin(flight, members_[f.group], *f.transfer);
  proceed(flight);
}

void Kernel::move(std::uint32_t flight) {
  Flight& f = flights_[flight];
  f.progress += Progress{(now_ - f.since).count()} * f.speed;
  f.since = now_;
}

/// Ends the members whose time has come, and the transfer with its span.
void Kernel::proceed(std::uint32_t flight) {
  Flight& f = flights_[flight];
  const auto n = static_cast<std::uint32_t>(members_[f.group].size());
  const auto place = [&](std::uint32_t i) { return f.order.empty() ? i : f.order[i]; };
  const auto is_done = [&](std::uint32_t i) { return progress_at(f.transfer->member(place(i)).done) <= f.progress; };
  const std::uint32_t first = f.ended;
  if (f.order.empty()) {
    if (is_done(0)) f.ended = n;
  } else {
    while (f.ended < n && is_done(f.ended)) ++f.ended;
  }
  const std::uint32_t last = f.ended;
  const bool over = progress_at(f.transfer->span) <= f.progress;
  if (!over) schedule(flight);
  if (share_ports_ && over && f.transfer->span > Time{0}) contention_.end(flight);
  for (std::uint32_t i = first; i < last; ++i) resume(f, place(i));
  if (!over) return;
  f.event = 0;
  counters_.contended_transfers += f.contended;
  free_flights_.push_back(flight);
}

void Kernel::schedule(std::uint32_t flight) {
  Flight& f = flights_[flight];
  const bool some_left = f.ended < members_[f.group].size();
  const std::uint32_t next = f.order.empty() ? 0 : some_left ? f.order[f.ended] : 0;
  const Time target = some_left ? f.transfer->member(next).done : f.transfer->span;
  const Int128 left = time_for(progress_at(target) - f.progress, f.speed);
  // Too late to be told apart; it may be sooner once others have left its ports.
  f.event = queue_.push(f.since + Time{static_cast<std::int64_t>(std::min<Int128>(left, kLongestTime.count() + 1))}, flight_event(flight));
}

void Kernel::solve() {
  for (const Contention::Change& change : contention_.solve()) {
    move(change.flight);
    Flight& f = flights_[change.flight];
    f.speed = change.speed;
    f.contended = f.contended || change.speed != kFullSpeed;
    schedule(change.flight);
  }
}

/// A member's share of the transfer is over: its stream goes on.
void Kernel::resume(const Flight& f, std::uint32_t member) {
  const ActorId actor = members_[f.group][member];
  const std::uint8_t index = seat_streams_[first_place_[f.group] + member];
  Stream& s = stream(actor.value(), index);
  settle_segments(actor.value());
  s.state = StreamState::free;
  s.free.time = now_;
  if (!observers_.empty()) {
    const TransferSpan span{next_span(), f.started.cause, actor, GroupId{f.group}, index, f.id, s.tag, s.held_since, f.started.time,
                            now_, f.last};
    s.free.cause = span.span;
    tell([&](Observer& o) { o.on_transfer(span); });
  }
  awake_.push_back(index);
  advance(actor.value());
}

}  // namespace moesim::kernel
