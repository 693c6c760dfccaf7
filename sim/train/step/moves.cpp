#include "train/step/moves.h"

#include "base/error.h"
#include "collective/held.h"

namespace moesim {
namespace {

/// The transfer of a real group as the group's actors see it.
Transfer onto_actors(const Transfer& t, const ActorGroup& g) {
  if (t.members.size() == 1) return t;
  Transfer out{t.latency, t.span, {}, t.taken, t.links, t.memory};
  out.members.reserve(g.real_member.size());
  for (const std::uint32_t m : g.real_member) out.members.push_back(t.members[m]);
  return out;
}

/// The members of an exchange that a class of ranks stands for, but one: the mean of what they carry, rounded up.
Transfer::Member mean_but(const Transfer& t, const std::vector<std::uint32_t>& members, std::uint32_t but) {
  const Transfer::Member& left_out = t.members[but];
  Transfer::Member sum;
  for (std::size_t p = 0; p < kPorts; ++p) sum.bytes[p] = -left_out.bytes[p];
  sum.done = -left_out.done;
  for (const std::uint32_t m : members) {
    for (std::size_t p = 0; p < kPorts; ++p) sum.bytes[p] += t.members[m].bytes[p];
    sum.done += t.members[m].done;
  }
  const auto n = static_cast<std::int64_t>(members.size()) - 1;
  for (std::int64_t& b : sum.bytes) b = ceil_div(b, n);
  sum.done = Time{ceil_div(sum.done.count(), n)};
  return sum;
}

}  // namespace

/// As onto_actors, but each class shows its most loaded member and the mean of the others.
Transfer StepMoves::onto_hottest(const Transfer& t, const ActorGroup& g, const GroupLoads& loads) const {
  if (t.members.size() == 1) return t;
  Transfer out{t.latency, t.span, {}, t.taken, t.links, t.memory};
  out.members.reserve(g.members.size());
  for (std::size_t i = 0; i < g.members.size(); ++i) {
    const std::vector<std::uint32_t>& mine = actors_.expert_members[g.members[i].index()];
    const std::uint32_t most = loads.actors[i].hottest;
    const bool mean = mine.size() > 1 && !actors_.info[g.members[i].index()].hottest;
    out.members.push_back(mean ? mean_but(t, mine, most) : t.members[most]);
  }
  return out;
}

StepMoves::StepMoves(const TrainScenario& s, const LayerSettings& settings, const Actors& actors, StepLoads& loads)
    : scenario_(s), settings_(settings), actors_(actors), loads_(loads), current_(actors.groups.size()) {}

std::uint32_t StepMoves::add(Template t) {
  if (std::holds_alternative<ExpertExchange>(t.what)) t.prepared.resize(actors_.shapes);
  templates_.push_back(std::move(t));
  known_.emplace_back(actors_.shapes);
  is_known_.emplace_back(actors_.shapes, false);
  drawn_.emplace_back();
  return static_cast<std::uint32_t>(templates_.size() - 1);
}

std::uint32_t StepMoves::add(TransferKind kind, std::string_view label, const Exchange& e) { return add(Template{kind, label, e, {}}); }
std::uint32_t StepMoves::add(TransferKind kind, std::string_view label, const LoadedExchange& e) { return add(Template{kind, label, e, {}}); }
std::uint32_t StepMoves::add(const ExpertExchange& e) {
  for (std::uint32_t id = 0; id < templates_.size(); ++id)
    if (const auto* known = std::get_if<ExpertExchange>(&templates_[id].what); known && *known == e) return id;
  return add(Template{e.combine ? TransferKind::ep_combine : TransferKind::ep_dispatch, e.combine ? "combine" : "dispatch", e, {}});
}

/// Peers of expert tensor parallelism carry one load; of actors that stand for many, the heaviest counts.
const RankLoad& StepMoves::heaviest(const ActorGroup& g, BlockTag tag) {
  ActorId most = g.members.front();
  std::int64_t tokens = -1;
  for (const ActorId a : g.members)
    if (const std::int64_t t = loads_.of(a, tag).tokens; t > tokens) {
      tokens = t;
      most = a;
    }
  return loads_.of(most, tag);
}

Beside StepMoves::held(GroupId id, std::uint32_t what) const {
  const Template& t = templates_[what];
  const Stack& stack = scenario_.stack;
  if (std::holds_alternative<ExpertExchange>(t.what)) return {static_cast<std::int32_t>(settings_.dispatcher->sms(scenario_.hardware)), 0, 0};
  const auto* fixed = std::get_if<Exchange>(&t.what);
  if (fixed && fixed->behind) return {0, static_cast<std::int32_t>(stack.tp_overlap_sms.value), 0};
  return {collective_sms(fixed ? fixed->op : std::get<LoadedExchange>(t.what).op, actors_.groups[id.index()].placement, stack), 0, 0};
}

Transfer StepMoves::make(Template& t, const ActorGroup& g, GroupId id, BlockTag tag) {
  const HwProfile& hw = scenario_.hardware;
  const auto sized = [&](const Exchange& e) {
    Transfer out = collective(e.op, e.bytes, g.placement, hw).transfer;
    out.memory = memory_taken(out, memory_touches(e.op), hw);
    return onto_actors(out, g);
  };
  if (const auto* e = std::get_if<Exchange>(&t.what)) return sized(*e);
  if (const auto* l = std::get_if<LoadedExchange>(&t.what)) return sized(at_load(*l, heaviest(g, tag)));
  return expert_exchange(t, g, id, tag);
}

Transfer StepMoves::expert_exchange(Template& t, const ActorGroup& g, GroupId id, BlockTag tag) {
  std::unique_ptr<PreparedExchange>& prepared = t.prepared[g.shape];
  if (!prepared) {
    const auto& e = std::get<ExpertExchange>(t.what);
    const MoeMlp& moe = *scenario_.model.moe();
    const ExchangeShape shape{settings_.routed_tokens(), moe.latent_size ? moe.latent_size : scenario_.model.hidden_size,
                              e.dtype, moe.num_experts, moe.top_k, settings_.dispatch_group_limit,
                              settings_.dispatch_group_limit > 0 ? moe.num_groups : 0};
    prepared = settings_.dispatcher->prepare(e.combine ? ExchangeWay::combine : ExchangeWay::dispatch, shape, g.placement, scenario_.hardware);
  }
  const GroupLoads& loads = loads_.of_group(id, tag);
  const Transfer& out = prepared->at(loads.ranks);
  return actors_.approximate ? onto_hottest(out, g, loads) : onto_actors(out, g);
}

const Transfer& StepMoves::drawn(GroupId id, std::uint32_t what, BlockTag tag) {
  Template& t = templates_[what];
  const ActorGroup& g = actors_.groups[id.index()];
  if (!actors_.approximate) return current_[id.index()] = make(t, g, id, tag);
  std::vector<Drawn>& groups = drawn_[what];
  if (groups.empty()) groups.resize(actors_.groups.size());
  Drawn& layers = groups[id.index()];
  if (layers.empty()) layers.resize(static_cast<std::size_t>(scenario_.model.num_layers() + scenario_.model.mtp_layers));
  std::vector<Transfer>& layer = layers[tag.layer];
  if (layer.empty()) layer.resize(static_cast<std::size_t>(scenario_.num_micro_batches));
  Transfer& out = layer[tag.micro_batch];
  if (out.members.empty()) out = make(t, g, id, tag);
  return out;
}

const Transfer& StepMoves::transfer(GroupId id, std::uint32_t what, BlockTag tag) {
  Template& t = templates_[what];
  const ActorGroup& g = actors_.groups[id.index()];
  if (!std::holds_alternative<Exchange>(t.what) && !loads_.balanced()) return drawn(id, what, tag);
  if (!is_known_[what][g.shape]) {
    known_[what][g.shape] = make(t, g, id, tag);
    is_known_[what][g.shape] = true;
  }
  return known_[what][g.shape];
}

}  // namespace moesim
