// What a run says about the time of all ranks together, in whole picoseconds.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/time_attribution.h"

namespace moesim::test {

struct Totals {
  Time end{0};
  std::array<std::int64_t, kTimeClasses> time{};   // summed over ranks
  std::size_t actors = 0;
  std::uint64_t contended = 0;                     // transfers that had to share a port
  bool approximate = false;
};

inline Totals totals(const TrainScenario& s, Detail detail) {
  TrainStep step(s, detail);
  TimeAttribution attribution(step);
  Observer* observers[] = {&attribution};
  Totals out;
  const RunResult run = step.run(observers);
  out.end = run.end;
  out.contended = run.counters.contended_transfers;
  out.actors = step.actors().size();
  out.approximate = step.approximate();
  attribution.finish(out.end);
  for (std::uint32_t a = 0; a < step.actors().size(); ++a)
    for (std::size_t c = 0; c < kTimeClasses; ++c) out.time[c] += step.actors()[a].multiplicity * attribution.of(ActorId(a)).time[c];
  return out;
}

}  // namespace moesim::test
