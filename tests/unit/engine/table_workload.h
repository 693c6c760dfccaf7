// A workload written out as tables, for tests.
#pragma once

#include <map>
#include <vector>

#include "engine/engine.h"

namespace moesim::test {

class TableWorkload : public Workload {
 public:
  struct Actor {
    std::vector<std::vector<Step>> blocks;
    std::vector<std::uint32_t> groups;                    // by group slot
    std::vector<Segment> segments;                        // by id; if empty, the shared ones
    std::array<std::int64_t, kPorts> capacity{100'000'000'000, 100'000'000'000, 100'000'000'000, 100'000'000'000, 100'000'000'000, 100'000'000'000};
    std::size_t next = 0;
  };

  std::vector<Actor> table;
  std::vector<std::vector<ActorId>> group_members;
  std::vector<Segment> shared_segments;
  std::vector<Transfer> transfers;                        // by id
  std::map<std::uint32_t, std::vector<Transfer>> by_group; // transfers of one group by id, instead of the shared ones
  std::vector<std::int64_t> link_capacities;
  std::size_t stream_count = 4, slot_count = 8;

  explicit TableWorkload(std::size_t n = 1) : table(n) {}

  // Building
  TableWorkload& add(std::uint32_t actor, Step step) {
    auto& blocks = table[actor].blocks;
    if (blocks.empty()) blocks.emplace_back();
    blocks.back().push_back(step);
    return *this;
  }
  TableWorkload& run(std::uint32_t actor, int stream, Segment segment) {
    table[actor].segments.push_back(segment);
    return add(actor, step(StepKind::segment, stream, 0, static_cast<std::uint32_t>(table[actor].segments.size() - 1)));
  }
  TableWorkload& kernel(std::uint32_t actor, int stream, Time host, Time device) { return run(actor, stream, Segment::kernel(host, device)); }
  TableWorkload& record(std::uint32_t actor, int stream, int slot) { return add(actor, step(StepKind::record, stream, slot, 0)); }
  TableWorkload& wait(std::uint32_t actor, int stream, int slot) { return add(actor, step(StepKind::wait, stream, slot, 0)); }
  TableWorkload& host_wait(std::uint32_t actor, int slot) { return add(actor, step(StepKind::host_wait, 0, slot, 0)); }
  TableWorkload& mark(std::uint32_t actor, int stream, std::uint32_t id) { return add(actor, step(StepKind::mark, stream, 0, id)); }
  TableWorkload& join(std::uint32_t actor, int stream, int group_slot, std::uint32_t id) {
    return add(actor, step(StepKind::transfer, stream, group_slot, id));
  }
  TableWorkload& block(std::uint32_t actor) {
    table[actor].blocks.emplace_back();
    return *this;
  }
  /// A group of these actors, in the next group slot of each.
  std::uint32_t group(const std::vector<std::uint32_t>& actors) {
    const auto id = static_cast<std::uint32_t>(group_members.size());
    group_members.emplace_back();
    for (const std::uint32_t a : actors) {
      group_members.back().push_back(ActorId{a});
      table[a].groups.push_back(id);
    }
    return id;
  }
  std::uint32_t transfer(Transfer t) {
    transfers.push_back(std::move(t));
    return static_cast<std::uint32_t>(transfers.size() - 1);
  }
  static Step step(StepKind kind, int stream, int slot, std::uint32_t id) {
    return {kind, static_cast<std::uint8_t>(stream), static_cast<std::uint16_t>(slot), id};
  }

  // Workload
  std::size_t actors() const override { return table.size(); }
  std::size_t streams() const override { return stream_count; }
  std::size_t event_slots() const override { return slot_count; }
  std::size_t groups() const override { return group_members.size(); }
  std::size_t links() const override { return link_capacities.size(); }
  std::int64_t link_capacity(LinkId l) const override { return link_capacities[l.index()]; }
  std::optional<Block> next_block(ActorId a) override {
    Actor& actor = table[a.index()];
    if (actor.next == actor.blocks.size()) {
      actor.next = 0;  // ready for another run
      return std::nullopt;
    }
    const auto index = static_cast<std::uint32_t>(actor.next++);
    return Block{actor.blocks[index], {index, 0}};
  }
  GroupId group(ActorId a, std::uint16_t slot) const override { return GroupId{table[a.index()].groups.at(slot)}; }
  std::span<const ActorId> members(GroupId g) const override { return group_members[g.index()]; }
  Segment segment(ActorId a, std::uint32_t id, BlockTag) override {
    const auto& own = table[a.index()].segments;
    return own.empty() ? shared_segments.at(id) : own.at(id);
  }
  const Transfer& transfer(GroupId g, std::uint32_t id, BlockTag) override {
    const auto own = by_group.find(g.value());
    return own == by_group.end() ? transfers.at(id) : own->second.at(id);
  }
  std::int64_t capacity(ActorId a, Port p) const override { return table[a.index()].capacity[static_cast<std::size_t>(p)]; }
};

/// A transfer whose members are all alike and end together.
inline Transfer alike(Time latency, Time span, std::array<std::int64_t, kPorts> bytes = {}) {
  return {latency, span, {{bytes, span}}};
}

}  // namespace moesim::test
