// What the engine runs: actors with lazy programs, groups that communicate, and the durations of what they do.
//
// An actor is a rank, or a class of equal ranks. Its program is a sequence of blocks in the order in which its host issues
// them; a block is a shared, immutable list of steps plus a tag that tells instances apart. Nothing is stored per kernel.
//
// Streams run their steps in order; steps on different streams meet only through slots (CUDA events): a wait or host_wait refers to the
// latest record of its slot that the host issued before it, and is satisfied when that record is reached on its stream.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/id.h"
#include "engine/beside.h"
#include "engine/segment.h"
#include "engine/transfer.h"

namespace moesim {

using ActorId = Id<struct ActorTag>;
using GroupId = Id<struct GroupTag>;

enum class StepKind : std::uint8_t {
  segment,     // run segment `id` on `stream`
  transfer,    // join transfer `id` of the actor's group in group slot `slot`, on `stream`, which is then held until this member's end
  record,      // set event slot `slot` when `stream` gets here
  wait,        // hold `stream` until event slot `slot` is set
  host_wait,   // hold the host until event slot `slot` is set (device -> host synchronisation)
  mark,        // tell observers that `stream` got here: `id` is theirs to interpret (memory, block boundaries)
};

struct Step {
  StepKind kind{};
  std::uint8_t stream = 0;
  std::uint16_t slot = 0;
  std::uint32_t id = 0;
  bool operator==(const Step&) const = default;
};

/// Which instance of a block this is. The engine only hands it on.
struct BlockTag {
  std::uint32_t layer = 0;
  std::uint32_t micro_batch = 0;
  bool operator==(const BlockTag&) const = default;
};

struct Block {
  std::span<const Step> steps;  // must stay valid until the run ends
  BlockTag tag;
};

class Workload {
 public:
  virtual ~Workload() = default;

  virtual std::size_t actors() const = 0;
  virtual std::size_t streams() const = 0;         // per actor
  virtual std::size_t event_slots() const = 0;     // per actor
  virtual std::size_t groups() const = 0;

  /// The next block of the actor's program, in host issue order; nothing at its end. Called once per block.
  virtual std::optional<Block> next_block(ActorId) = 0;

  /// The group in group slot `slot` of the actor; members are listed in `members`. All members join the transfers of a group in the
  /// same order (the engine matches them by count, as a communicator does).
  virtual GroupId group(ActorId, std::uint16_t slot) const = 0;
  virtual std::span<const ActorId> members(GroupId) const = 0;

  /// The cost of segment `id` for this actor. Called when the host issues it.
  virtual Segment segment(ActorId, std::uint32_t id, BlockTag) = 0;
  /// The transfer `id` of a group. Called once per transfer, when its last member joins; the reference must stay valid until the
  /// transfer ends. The tag is that of the member that was ready last, the first in group order if several were.
  virtual const Transfer& transfer(GroupId, std::uint32_t id, BlockTag) = 0;

  /// Whether transfers take anything of their members while kernels of other streams run. If not, the next two are not called.
  virtual bool takes_of_members() const { return false; }
  /// The SMs that the transfer `id` of a group holds of each member from when it joins until its end. What it takes of memory while it moves stands
  /// in the Transfer, not here.
  virtual Beside held(GroupId, std::uint32_t /*id*/) const { return {}; }
  /// The segment beside what is taken; beside nothing, its map is segment()'s. Valid until the next call.
  virtual PacedSegment paced(ActorId, std::uint32_t /*id*/, BlockTag, Beside) { throw InternalError("a workload whose transfers take of their members says nothing of the pace of its segments"); }

  /// Bytes per second of a port, > 0.
  virtual std::int64_t capacity(ActorId, Port) const = 0;

  /// Links that transfers may load besides the ports of their members.
  virtual std::size_t links() const { return 0; }
  /// Bytes per second of a link, > 0. Asked for links that a transfer loads.
  virtual std::int64_t link_capacity(LinkId) const { return 0; }
};

}  // namespace moesim
