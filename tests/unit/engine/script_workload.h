// A workload written out by hand: each actor's steps, each segment's and transfer's cost.
#pragma once

#include <map>
#include <vector>

#include "engine/engine.h"

namespace moesim {

struct ScriptWorkload : Workload {
  struct Actor {
    std::vector<Step> steps;
    std::map<std::uint16_t, std::uint32_t> group;   // group slot -> group
    bool given = false;
  };
  std::vector<Actor> all;
  std::vector<std::vector<ActorId>> group_members;
  std::vector<Segment> segments;                     // by id
  std::vector<Transfer> transfer_table;              // by id
  std::int64_t port_capacity = 1'000'000'000'000;    // bytes per second: one byte a picosecond

  std::size_t actors() const override { return all.size(); }
  std::size_t streams() const override { return 4; }
  std::size_t event_slots() const override { return 8; }
  std::size_t groups() const override { return group_members.size(); }
  std::optional<Block> next_block(ActorId a) override {
    Actor& actor = all[a.index()];
    if (actor.given) return std::nullopt;
    actor.given = true;
    return Block{actor.steps, {}};
  }
  GroupId group(ActorId a, std::uint16_t slot) const override { return GroupId(all[a.index()].group.at(slot)); }
  std::span<const ActorId> members(GroupId g) const override { return group_members[g.index()]; }
  Segment segment(ActorId, std::uint32_t id, BlockTag) override { return segments[id]; }
  const Transfer& transfer(GroupId, std::uint32_t id, BlockTag) override { return transfer_table[id]; }
  std::int64_t capacity(ActorId, Port) const override { return port_capacity; }

  std::uint32_t add_segment(Segment s) {
    segments.push_back(s);
    return static_cast<std::uint32_t>(segments.size() - 1);
  }
  std::uint32_t add_transfer(Transfer t) {
    transfer_table.push_back(std::move(t));
    return static_cast<std::uint32_t>(transfer_table.size() - 1);
  }
  /// A new group; every member reaches it by `slot`.
  void add_group(std::uint16_t slot, std::vector<std::uint32_t> members) {
    const auto id = static_cast<std::uint32_t>(group_members.size());
    std::vector<ActorId> ids;
    for (const std::uint32_t m : members) {
      ids.push_back(ActorId(m));
      all[m].group[slot] = id;
    }
    group_members.push_back(std::move(ids));
  }
};

inline Step seg(std::uint8_t stream, std::uint32_t id) { return {StepKind::segment, stream, 0, id}; }
inline Step xfer(std::uint8_t stream, std::uint16_t slot, std::uint32_t id) { return {StepKind::transfer, stream, slot, id}; }
inline Step rec(std::uint8_t stream, std::uint16_t slot) { return {StepKind::record, stream, slot, 0}; }
inline Step wai(std::uint8_t stream, std::uint16_t slot) { return {StepKind::wait, stream, slot, 0}; }
inline Step hwait(std::uint16_t slot) { return {StepKind::host_wait, 0, slot, 0}; }

inline Segment device(std::int64_t ps) { return Segment::kernel(Time{0}, Time{ps}); }
/// `bytes` over each member's scale-up egress and ingress, in `span`.
inline Transfer uniform(std::int64_t bytes, std::int64_t span, std::int64_t latency = 0) {
  return {Time{latency}, Time{span}, {{{bytes, bytes, 0, 0}, Time{span}}}};
}

}  // namespace moesim
