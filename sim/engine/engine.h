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
  /// How many steps a host may issue ahead of a stream before it blocks (a CUDA launch queue holds about 1,024 launches).
  std::size_t launch_queue_steps = 1024;
};

/// Throws InternalError on a deadlock, naming an actor, its stream and what it waits for.
RunResult run(Workload&, std::span<Observer* const> observers = {}, const EngineOptions& = {});

}  // namespace moesim
