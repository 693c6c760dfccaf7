#include "unit/engine/random_workload.h"

#include <numeric>

namespace moesim::test {
namespace {

struct Builder {
  Dice dice;
  SmallWorkload w;
  std::uint32_t actors, streams, slots;

  explicit Builder(std::uint64_t seed) : dice(seed) {
    actors = 1 + dice.below(4);
    streams = 1 + dice.below(3);
    slots = 1 + dice.below(3);
    w = SmallWorkload(actors);
    w.stream_count = streams;
    w.slot_count = slots;
    w.kernels.resize(actors);
    for (auto& a : w.table) a.capacity.fill(std::int64_t{1} << 50);
  }

  void add_transfers() {
    for (std::uint32_t t = 0; t < 3; ++t) w.transfer(transfer(1));
  }
  Transfer transfer(std::size_t entries) {
    Transfer t{Time{dice.below(4)}, Time{dice.below(25)}, {}};
    for (std::size_t i = 0; i < entries; ++i) t.members.push_back({{static_cast<std::int64_t>(dice.below(3)), 0, 1, 0}, Time{dice.below(static_cast<std::uint32_t>(t.span.count()) + 1)}});
    return t;
  }

  /// Each group on one stream of each member, the same number for all.
  std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> groups() {
    std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> out;
    const std::uint32_t count = dice.below(4);
    for (std::uint32_t g = 0; g < count; ++g) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t a = 0; a < actors; ++a)
        if (dice.below(3) > 0) members.push_back(a);
      if (members.empty()) members.push_back(0);
      w.group(members);
      out.emplace_back(members, dice.below(streams));
    }
    return out;
  }

  void local_step(std::uint32_t a) {
    const int stream = static_cast<int>(dice.below(streams)), slot = static_cast<int>(dice.below(slots));
    switch (dice.below(8)) {
      case 0: w.record(a, stream, slot); break;
      case 1: w.wait(a, stream, slot); break;
      case 2: dice.below(3) == 0 ? w.host_wait(a, slot) : w.record(a, stream, slot); break;
      case 3: w.mark(a, stream, dice.below(100)); break;
      default: {
        std::vector<Kernel> list(dice.below(12) == 0 ? 0 : 1 + dice.below(3));
        for (Kernel& k : list) k = {dice.below(6), dice.below(3) == 0 ? 0 : dice.below(15)};
        w.segment_of(a, stream, list);
      }
    }
    if (dice.below(6) == 0) w.block(a);
  }
};

}  // namespace

SmallWorkload random_workload(std::uint64_t seed, bool crossed, bool taking) {
  Builder b(seed);
  b.add_transfers();
  const auto groups = b.groups();
  const std::uint32_t rounds = 3 + b.dice.below(20);
  for (std::uint32_t r = 0; r < rounds; ++r) {
    for (std::uint32_t a = 0; a < b.actors; ++a)
      for (std::uint32_t n = b.dice.below(3); n > 0; --n) b.local_step(a);
    if (groups.empty() || b.dice.below(3) == 0) continue;
    std::vector<std::uint32_t> now(1 + (crossed ? b.dice.below(2) : 0));
    std::vector<std::uint32_t> ids(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i] = b.dice.below(static_cast<std::uint32_t>(groups.size()));
      ids[i] = b.dice.below(3);
      if (b.dice.below(2) == 0) ids[i] = b.w.transfer(b.transfer(groups[now[i]].first.size()));
    }
    for (std::uint32_t a = 0; a < b.actors; ++a) {
      const bool reverse = now.size() == 2 && now[0] != now[1] && b.dice.below(2) == 0;
      for (std::size_t i = 0; i < now.size(); ++i) {
        const std::size_t k = reverse ? now.size() - 1 - i : i;
        const auto& members = groups[now[k]].first;
        if (std::find(members.begin(), members.end(), a) == members.end()) continue;
        const auto& mine = b.w.table[a].groups;
        const auto slot = std::find(mine.begin(), mine.end(), now[k]) - mine.begin();
        b.w.join(a, static_cast<int>(groups[now[k]].second), static_cast<int>(slot), ids[k]);
      }
    }
  }
  if (!taking) return b.w;
  for (Transfer& t : b.w.transfers) {
    b.w.held_by.push_back({static_cast<std::int32_t>(b.dice.below(3) * b.dice.below(6)), static_cast<std::int32_t>(b.dice.below(2) * b.dice.below(3)), 0});
    if (b.dice.below(2) == 0) t.memory = static_cast<std::int32_t>(b.dice.below(5));
  }
  return b.w;
}

std::string program_text(const SmallWorkload& w) {
  std::string out;
  for (std::size_t a = 0; a < w.table.size(); ++a) {
    out += "actor " + std::to_string(a) + ":\n";
    for (const auto& block : w.table[a].blocks)
      for (const Step& s : block) {
        static const char* const names[] = {"segment", "transfer", "record", "wait", "host_wait", "mark"};
        out += std::string("  ") + names[static_cast<std::size_t>(s.kind)] + " stream " + std::to_string(s.stream) + " slot " + std::to_string(s.slot) + " id " + std::to_string(s.id);
        if (s.kind == StepKind::segment)
          for (const Kernel& k : w.kernels[a][s.id]) out += " (" + std::to_string(k.host) + ", " + std::to_string(k.device) + ")";
        out += "\n";
      }
  }
  return out;
}

}  // namespace moesim::test
