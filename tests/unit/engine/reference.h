// What the engine must give, computed the slow and obvious way: one picosecond at a time, kernel by kernel, looking at everything again
// until nothing moves. No contention: each transfer takes its time alone.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/table_workload.h"

namespace moesim::test {

struct Kernel {
  std::int64_t host = 0, device = 0;   // picoseconds
};

/// A workload whose segments are also known kernel by kernel.
struct SmallWorkload : TableWorkload {
  using TableWorkload::TableWorkload;
  std::vector<std::vector<std::vector<Kernel>>> kernels;   // [actor][segment id]

  /// Called with the kernels of the actor's next segment.
  void segment_of(std::uint32_t actor, int stream, const std::vector<Kernel>& list) {
    Segment s;
    for (const Kernel& k : list) s = s.then(Segment::kernel(Time{k.host}, Time{k.device}));
    kernels.resize(table.size());
    kernels[actor].push_back(list);
    run(actor, stream, s);
  }
};

/// One line a thing that happened, sorted: the engine's log and the reference's must be equal.
using History = std::vector<std::string>;

std::string segment_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t issued, std::int64_t ready, std::int64_t end);
std::string transfer_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t joined, std::int64_t started, std::int64_t end);
std::string wait_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t slot, std::int64_t begin, std::int64_t end);
std::string host_wait_line(std::uint32_t actor, std::int64_t begin, std::int64_t end);
std::string mark_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t time);
/// A transfer was asked for with the tag of the member that was ready last, the first in group order of several.
std::string asked_line(std::uint32_t group, std::uint32_t id, std::uint32_t layer);

/// `launch_queue` as EngineOptions: places of a stream. If nothing moves any more although work is left, the last line is "deadlock".
History reference_history(const SmallWorkload&, std::size_t launch_queue);

}  // namespace moesim::test
