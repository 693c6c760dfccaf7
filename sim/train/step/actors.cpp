#include "train/step/actors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "hw/topology.h"
#include "parallel/partition.h"

namespace moesim {
namespace {

double factor(const std::map<std::int64_t, double>& of, Rank r) {
  const auto it = of.find(static_cast<std::int64_t>(r.index()));
  return it == of.end() ? 1.0 : it->second;
}

/// GPUs of the job that share uplinks with a rank; 0 where that never matters.
std::int64_t beside(Rank r, const TrainScenario& s) {
  if (!Topology(s.hardware).binds()) return 0;
  const std::int64_t gpus = gpus_below_uplinks(s.hardware), first = static_cast<std::int64_t>(r.value()) / gpus * gpus;
  return std::min(gpus, s.parallel.gpus - first);
}

std::vector<std::uint32_t> places(std::size_t ranks, std::int64_t size) {
  std::vector<std::uint32_t> out(ranks);
  for (std::size_t r = 0; r < ranks; ++r) out[r] = static_cast<std::uint32_t>(r / static_cast<std::size_t>(size));
  return out;
}

Partition identity(std::size_t ranks) {
  Partition p;
  p.class_of.resize(ranks);
  std::iota(p.class_of.begin(), p.class_of.end(), 0u);
  for (std::size_t r = 0; r < ranks; ++r) p.representative.push_back(Rank(static_cast<std::uint32_t>(r)));
  p.size.assign(ranks, 1);
  return p;
}

/// Of each rank: which members of its expert-parallel group are of its class, as one number.
std::vector<std::uint64_t> experts_alike(const ParallelLayout& layout, const Partition& p) {
  std::vector<std::uint64_t> out(p.class_of.size());
  std::vector<std::uint64_t> of_class(p.representative.size(), 0);
  for (std::size_t g = 0; g < layout.group_count(GroupKind::ep); ++g) {
    const std::vector<Rank> group = layout.members(GroupKind::ep, g);
    for (const Rank r : group) of_class[p.class_of[r.index()]] = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::uint64_t& sum = of_class[p.class_of[group[i].index()]];
      sum = (sum + i + 1) * 0x9E3779B97F4A7C15ull;
    }
    for (const Rank r : group) out[r.index()] = of_class[p.class_of[r.index()]];
  }
  return out;
}

/// Whether a class holds the same experts in each of its expert-parallel groups, and expert-tensor peers, who carry one load, are merged
/// with the same others. Where groups lie across domains unevenly this may fail: then one draw cannot stand for all groups of the class.
bool merged_alike(const ParallelLayout& layout, const Partition& p) {
  const std::vector<std::uint64_t> alike = experts_alike(layout, p);
  for (std::size_t r = 0; r < alike.size(); ++r)
    if (alike[r] != alike[p.representative[p.class_of[r]].index()]) return false;
  for (const Rank r : p.representative)
    for (const Rank peer : layout.members(GroupKind::etp, layout.group_of(GroupKind::etp, r)))
      if (alike[peer.index()] != alike[r.index()]) return false;
  return true;
}

/// `by_expert`: ranks with other experts are told apart.
Partition fold(const TrainScenario& s, const ParallelLayout& layout, bool by_expert) {
  PartitionInput in;
  in.ranks = static_cast<std::size_t>(s.parallel.gpus);
  std::map<std::tuple<std::int64_t, double, double, std::int64_t, std::int64_t>, std::uint64_t> colours;
  for (std::uint32_t r = 0; r < in.ranks; ++r) {
    const Coordinates at = layout.coordinates(Rank(r));
    const auto key = std::tuple(at.pp, factor(s.gpu_speed, Rank(r)), factor(s.nic_speed, Rank(r)), by_expert ? at.ep : 0, beside(Rank(r), s));
    in.colour.push_back(colours.emplace(key, colours.size()).first->second);
  }
  for (const GroupKind kind : {GroupKind::tp, GroupKind::cp, GroupKind::dp_cp, GroupKind::pp, GroupKind::ep, GroupKind::etp, GroupKind::edp}) {
    if (layout.group_size(kind) == 1) continue;
    auto& of = in.group_of.emplace_back(in.ranks);
    for (std::uint32_t r = 0; r < in.ranks; ++r) of[r] = static_cast<std::uint32_t>(layout.group_of(kind, Rank(r)));
  }
  in.place_of.push_back(places(in.ranks, s.hardware.scale_up.domain));
  for (const FabricLevel& level : s.hardware.scale_out.levels)
    if (level.gpus > 0) in.place_of.push_back(places(in.ranks, level.gpus));
  return coarsest_equitable_partition(in);
}

Partition fold(const TrainScenario& s, const ParallelLayout& layout, Detail detail, bool split) {
  if (detail == Detail::ranks) return identity(static_cast<std::size_t>(s.parallel.gpus));
  Partition p = fold(s, layout, false);
  return split && !merged_alike(layout, p) ? fold(s, layout, true) : p;
}

/// Whether a class holds ranks that random loads tell apart: other members of an expert-parallel group, or the same of another group.
bool merges_draws(const ParallelLayout& layout, const Partition& p) {
  for (std::uint32_t r = 0; r < p.class_of.size(); ++r) {
    const Coordinates mine = layout.coordinates(Rank(r)), shown = layout.coordinates(p.representative[p.class_of[r]]);
    if (mine.ep != shown.ep || mine.edp != shown.edp) return true;
  }
  return false;
}

class Builder {
 public:
  Builder(const TrainScenario& s, const ParallelLayout& layout, Detail detail, bool random, const std::vector<double>& speed)
      : s_(s), layout_(layout), speed_(speed), split_(detail == Detail::fold && random && layout.group_size(GroupKind::ep) > 1),
        partition_(fold(s, layout, detail, split_)) {
    out_.approximate = random && merges_draws(layout, partition_);
    out_.merges_speeds = s.gpu_speed_spread && detail == Detail::fold && partition_.representative.size() < static_cast<std::size_t>(s.parallel.gpus);
  }

  Actors build() {
    for (std::uint32_t c = 0; c < partition_.representative.size(); ++c) add_class(c);
    out_.group_of.resize(out_.info.size());
    for (std::size_t k = 0; k < kGroupKinds; ++k) add_groups(static_cast<GroupKind>(k), static_cast<std::uint16_t>(k));
    if (s_.parallel.tp > 1) add_groups(GroupKind::tp, slot(GroupSlot::tp_behind));
    add_world();
    add_neighbours();
    out_.shapes = static_cast<std::uint32_t>(shapes_.size());
    return std::move(out_);
  }

 private:
  void add_class(std::uint32_t c) {
    first_actor_.push_back(static_cast<std::uint32_t>(out_.info.size()));
    const std::int64_t size = partition_.size[c];
    const auto peers = static_cast<std::int64_t>(expert_members(c).size());
    if (!split_ || peers == 1) {
      add_actor(c, size, false);
      return;
    }
    add_actor(c, size / peers, true);
    add_actor(c, size - size / peers, false);
  }

  /// Members of class c in the expert-parallel group of its representative, by their index in the group.
  std::vector<std::uint32_t> expert_members(std::uint32_t c) const {
    const std::vector<Rank> group = layout_.members(GroupKind::ep, layout_.group_of(GroupKind::ep, partition_.representative[c]));
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < group.size(); ++i)
      if (partition_.class_of[group[i].index()] == c) out.push_back(i);
    return out;
  }

  void add_actor(std::uint32_t c, std::int64_t multiplicity, bool hottest) {
    const Rank rank = partition_.representative[c];
    out_.expert_members.push_back(expert_members(c));
    out_.info.push_back({rank, layout_.coordinates(rank).pp, multiplicity, hottest});
    class_of_actor_.push_back(c);
    out_.gpu_speed.push_back(speed_of(c, hottest));
    out_.nic_speed.push_back(factor(s_.nic_speed, rank));
    if (!hottest) out_.info.back().busy = busy(c, out_.gpu_speed.back());
  }

  double speed_of(std::uint32_t c, bool hottest) const {
    if (partition_.size[c] == 1 || !s_.gpu_speed_spread) return speed_[partition_.representative[c].index()];
    double slowest = 0, sum = 0;
    for (std::uint32_t r = 0; r < speed_.size(); ++r) {
      if (partition_.class_of[r] != c) continue;
      slowest = sum == 0 ? speed_[r] : std::min(slowest, speed_[r]);
      sum += speed_[r];
    }
    return hottest ? std::round(1000 * sum / static_cast<double>(partition_.size[c])) / 1000 : slowest;
  }

  /// Mean of what the GPUs of class c take over what one of speed `shown` does.
  double busy(std::uint32_t c, double shown) const {
    if (partition_.size[c] == 1 || !s_.gpu_speed_spread) return 1;
    double sum = 0;
    for (std::uint32_t r = 0; r < speed_.size(); ++r)
      if (partition_.class_of[r] == c) sum += shown / speed_[r];
    return sum / static_cast<double>(partition_.size[c]);
  }

  /// The actors of a class: one, or the most loaded and the others.
  std::vector<ActorId> actors_of(std::uint32_t c) const {
    const std::uint32_t end = c + 1 < first_actor_.size() ? first_actor_[c + 1] : static_cast<std::uint32_t>(out_.info.size());
    std::vector<ActorId> out;
    for (std::uint32_t a = first_actor_[c]; a < end; ++a) out.push_back(ActorId(a));
    return out;
  }

  /// The quotient of a real group: each class in it once, in the order of first appearance.
  GroupId add_group(std::vector<Rank> ranks, std::uint16_t group_slot) {
    ActorGroup g;
    std::map<std::uint32_t, std::uint32_t> seen;
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      const std::uint32_t c = partition_.class_of[ranks[i].index()];
      if (!seen.emplace(c, i).second) continue;
      for (const ActorId a : actors_of(c)) {
        g.members.push_back(a);
        g.real_member.push_back(i);
      }
    }
    g.placement = place(ranks, s_.hardware, s_.parallel.gpus);
    g.ranks = std::move(ranks);
    g.shape = shape_of(g);
    const GroupId id(static_cast<std::uint32_t>(out_.groups.size()));
    for (const ActorId a : g.members) out_.group_of[a.index()][group_slot] = id;
    out_.groups.push_back(std::move(g));
    return id;
  }

  std::uint32_t shape_of(const ActorGroup& g) {
    auto key = std::make_pair(g.placement.domain_of, std::vector<double>());
    key.first.push_back(g.placement.network_latency.count());
    key.first.insert(key.first.end(), g.real_member.begin(), g.real_member.end());
    if (g.placement.cut)
      for (const std::size_t place : g.placement.cut->place_of) {
        key.first.push_back(static_cast<std::int64_t>(place));
        key.second.push_back(g.placement.cut->places[place].crowd);
      }
    return shapes_.emplace(std::move(key), static_cast<std::uint32_t>(shapes_.size())).first->second;
  }

  void add_groups(GroupKind kind, std::uint16_t group_slot) {
    std::vector<bool> done(partition_.representative.size(), false);
    for (std::uint32_t c = 0; c < partition_.representative.size(); ++c) {
      if (done[c]) continue;
      const Rank rank = partition_.representative[c];
      if (!layout_.in_group(kind, rank)) continue;
      const GroupId id = add_group(layout_.members(kind, layout_.group_of(kind, rank)), group_slot);
      for (const ActorId a : out_.groups[id.index()].members) done[class_of_actor_[a.index()]] = true;
    }
  }

  void add_world() {
    std::vector<Rank> all;
    for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(s_.parallel.gpus); ++r) all.push_back(Rank(r));
    add_group(std::move(all), slot(GroupSlot::world));
  }

  /// Point-to-point pairs of the pipeline ring, in both directions. The hottest of a stage is paired with the hottest of the next.
  void add_neighbours() {
    if (s_.parallel.pp == 1) return;
    for (std::uint32_t a = 0; a < out_.info.size(); ++a) {
      const Rank from = out_.info[a].rank;
      const std::vector<Rank> ring = layout_.members(GroupKind::pp, layout_.group_of(GroupKind::pp, from));
      const Rank to = ring[static_cast<std::size_t>((out_.info[a].stage + 1) % s_.parallel.pp)];
      const std::vector<ActorId> next = actors_of(partition_.class_of[to.index()]);
      if (next.size() != actors_of(class_of_actor_[a]).size()) throw InternalError("fold: neighbouring stages are split differently");
      const ActorId b = out_.info[a].hottest ? next.front() : next.back();
      add_pair(ActorId(a), b, from, to, GroupSlot::forward_out, GroupSlot::forward_in);
      add_pair(b, ActorId(a), to, from, GroupSlot::backward_out, GroupSlot::backward_in);
    }
  }

  void add_pair(ActorId from, ActorId to, Rank from_rank, Rank to_rank, GroupSlot out_slot, GroupSlot in_slot) {
    ActorGroup g;
    g.members = {from, to};
    g.real_member = {0, 1};
    g.ranks = {from_rank, to_rank};
    g.placement = place(g.ranks, s_.hardware, s_.parallel.gpus);
    g.shape = shape_of(g);
    const GroupId id(static_cast<std::uint32_t>(out_.groups.size()));
    out_.groups.push_back(std::move(g));
    out_.group_of[from.index()][slot(out_slot)] = id;
    out_.group_of[to.index()][slot(in_slot)] = id;
  }

  const TrainScenario& s_;
  const ParallelLayout& layout_;
  const std::vector<double>& speed_;
  bool split_;
  Partition partition_;
  Actors out_;
  std::vector<std::uint32_t> first_actor_, class_of_actor_;
  std::map<std::pair<std::vector<std::int64_t>, std::vector<double>>, std::uint32_t> shapes_;
};

}  // namespace

Actors make_actors(const TrainScenario& s, const ParallelLayout& layout, Detail detail, bool exactly_balanced, const std::vector<double>& speed) {
  return Builder(s, layout, detail, !exactly_balanced && s.model.moe() != nullptr, speed).build();
}

}  // namespace moesim
