// The event kernel: runs a Workload to its end.
//
// Deterministic: the result depends on the workload alone. Events are totally ordered by (time, sequence); rates are solved once per
// instant, in integers, so the order of events at one instant does not matter to any time.
#pragma once

#include <cstdint>
#include <span>

#include "engine/observer.h"
#include "engine/workload.h"

namespace moesim {

struct EngineCounters {
  std::uint64_t events = 0;
  std::uint64_t segments = 0;
  std::uint64_t kernels = 0;          // in those segments
  std::uint64_t transfers = 0;
  std::uint64_t contended_transfers = 0;  // that ever had to share a port
  std::uint64_t solves = 0;
  std::uint64_t max_pending = 0;      // deepest event queue
  bool operator==(const EngineCounters&) const = default;
};

struct RunResult {
  Time end{0};               // the last stream of the last actor is done
  EngineCounters counters;
};

struct EngineOptions {
  /// Launches that the host may be ahead of each stream (a CUDA launch queue holds about 1,024). A segment of k kernels takes k places and
  /// a transfer one, from when it is issued until its stream gets to it; records, waits and marks take none. A step that finds too few
  /// places free holds the host until there are enough: until the step that makes room has begun. A segment of more kernels than there
  /// are places waits for an empty queue. Kernels of one segment enter and leave together: the host may be ahead by as many more as the
  /// segment at work has left, and by as many fewer as the segment that does not fit has.
  std::size_t launch_queue = 1024;
  /// If not, every transfer moves as if it had its ports for itself. Then all times are maxima of sums: what takes longer never ends anything
  /// sooner (unless transfers take of their members as well). With sharing it may, if it keeps transfers out of each other's way.
  bool share_ports = true;
  /// If not, transfers take nothing of their members: kernels beside them run as alone.
  bool take_of_members = true;
};

/// Throws TooLong if something would end after kLongestTime.
/// Throws InternalError on a deadlock, with the chain of who waits for what, and on a workload that breaks its contract: ids, streams,
/// slots, members or capacities out of range, negative times or bytes, a member's `done` after the span.
RunResult run(Workload&, std::span<Observer* const> observers = {}, const EngineOptions& = {});

}  // namespace moesim
