// What the engine must give, computed the slow and obvious way: one picosecond at a time, kernel by kernel, looking at everything again
// until nothing moves. No contention of ports: each transfer takes its time alone. Kernels run at the pace that the transfers on other streams of
// their actor leave them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/table_workload.h"

namespace moesim::test {

struct Kernel {
  std::int64_t host = 0, device = 0;   // picoseconds
};

/// The kernel's time beside transfers.
inline std::int64_t device_beside(const Kernel& k, Beside b) {
  const std::int64_t by_sms = k.device + (k.device * (b.sms + 2 * b.margin) + 7) / 8;
  return by_sms + (by_sms * b.memory + 4) / 5;
}

/// A workload whose segments are also known kernel by kernel.
struct SmallWorkload : TableWorkload {
  using TableWorkload::TableWorkload;
  std::vector<std::vector<std::vector<Kernel>>> kernels;   // [actor][segment id]
  std::vector<Beside> held_by;                             // by transfer; those beyond hold nothing

  Beside held_by_id(std::uint32_t id) const { return id < held_by.size() ? held_by[id] : Beside{}; }
  bool takes_of_members() const override {
    return std::any_of(held_by.begin(), held_by.end(), [](const Beside& b) { return !b.nothing(); }) ||
           std::any_of(transfers.begin(), transfers.end(), [](const Transfer& t) { return t.memory > 0; });
  }
  Beside held(GroupId, std::uint32_t id) const override { return held_by_id(id); }
  PacedSegment paced(ActorId a, std::uint32_t id, BlockTag, Beside b) override {
    PacedSegment out;
    paced_.clear();
    for (const Kernel& k : kernels[a.index()][id]) {
      const Time by_sms{device_beside(k, {b.sms, b.margin, 0})}, beside{device_beside(k, b)};
      paced_.push_back({Time{k.host}, Time{k.device}, by_sms, beside});
      out.segment = out.segment.then(Segment::kernel(Time{k.host}, beside));
      out.by_sms += by_sms;
    }
    out.kernels = paced_;
    return out;
  }

  /// Called with the kernels of the actor's next segment.
  void segment_of(std::uint32_t actor, int stream, const std::vector<Kernel>& list) {
    Segment s;
    for (const Kernel& k : list) s = s.then(Segment::kernel(Time{k.host}, Time{k.device}));
    kernels.resize(table.size());
    kernels[actor].push_back(list);
    run(actor, stream, s);
  }

 private:
  std::vector<PacedKernel> paced_;   // of the last question
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
