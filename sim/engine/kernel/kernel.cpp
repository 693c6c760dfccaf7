#include "engine/kernel/kernel.h"

#include <algorithm>

#include "base/error.h"

namespace moesim::kernel {

Kernel::Kernel(Workload& workload, std::span<Observer* const> observers, const EngineOptions& options)
    : workload_(workload),
      observers_(observers),
      launch_queue_(static_cast<std::uint32_t>(std::min<std::size_t>(options.launch_queue, 1U << 30))),
      share_ports_(options.share_ports),
      stream_count_(workload.streams()),
      slot_count_(workload.event_slots()),
      hosts_(workload.actors()),
      streams_(workload.actors() * workload.streams()),
      takes_(options.take_of_members && workload.takes_of_members()),
      taking_(takes_ ? streams_.size() : 0),
      open_(takes_ ? streams_.size() : 0),
      open_count_(takes_ ? workload.actors() : 0),
      slots_(workload.actors() * workload.event_slots()),
      contention_(workload) {
  if (launch_queue_ == 0) throw InternalError("engine: launch_queue must be at least 1");
  if (stream_count_ >= kUnseated) throw InternalError("engine: an actor may have at most 254 streams");
  if (streams_.size() >= EventQueue::kMaxSlots / 2) throw InternalError("engine: more than 2^27 streams");
  const std::size_t groups = workload.groups();
  std::size_t places = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    members_.push_back(workload.members(GroupId{static_cast<std::uint32_t>(g)}));
    first_place_.push_back(static_cast<std::uint32_t>(places));
    places += members_.back().size();
    for (const ActorId a : members_.back()) {
      if (a.index() >= hosts_.size()) throw InternalError("engine: group " + std::to_string(g) + " has an unknown member " + std::to_string(a.value()));
    }
    check_distinct(static_cast<std::uint32_t>(g));
  }
  seat_streams_.assign(places, kUnseated);
  gatherings_.resize(groups);
}

void Kernel::check_distinct(std::uint32_t group) const {
  std::vector<ActorId> sorted(members_[group].begin(), members_[group].end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw InternalError("engine: group " + std::to_string(group) + " has member " + std::to_string(twice->value()) + " twice");
}

RunResult Kernel::run() {
  for (std::uint32_t a = 0; a < hosts_.size(); ++a) {
    host_awake_ = true;
    advance(a);
  }
  while (!queue_.empty()) {
    const EventQueue::Event event = queue_.top();
    if (event.time > now_ && contention_.dirty()) {  // the instant is over: one solve for all that happened in it
      solve();
      continue;
    }
    queue_.pop();
    const std::uint32_t index = event.slot() >> 1;
    const bool of_segment = event.slot() & 1;
    if ((of_segment ? open_[index].event : flights_[index].event) != event.sequence()) continue;
    now_ = event.time;
    if (now_ > kLongestTime) throw_too_long();
    ++counters_.events;
    if (of_segment) {
      close_expected(index);
    } else if (flights_[index].moving) {
      move(index);
      proceed(index);
    } else {
      begin(index);
    }
  }
  check_finished();
  RunResult result{Time{0}, counters_};
  for (const Stream& s : streams_) result.end = std::max(result.end, s.free.time);
  result.counters.solves = contention_.solves();
  result.counters.max_pending = queue_.max_size();
  return result;
}

}  // namespace moesim::kernel
