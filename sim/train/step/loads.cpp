#include "train/step/loads.h"

#include <algorithm>

#include "base/units.h"

namespace moesim {
namespace {

/// The mean load of the members but one, each figure rounded up.
RankLoad mean_of_others(std::span<const RankLoad> all, std::span<const std::uint32_t> members, std::uint32_t but) {
  RankLoad sum{-all[but].tokens, -all[but].received, -all[but].max_expert, -all[but].touched};
  for (const std::uint32_t m : members) {
    sum.tokens += all[m].tokens;
    sum.received += all[m].received;
    sum.max_expert += all[m].max_expert;
    sum.touched += all[m].touched;
  }
  const auto n = static_cast<std::int64_t>(members.size()) - 1;
  return {ceil_div(sum.tokens, n), ceil_div(sum.received, n), ceil_div(sum.max_expert, n), ceil_div(sum.touched, n)};
}

std::uint32_t most_loaded(std::span<const RankLoad> all, std::span<const std::uint32_t> members) {
  std::uint32_t most = members.front();
  std::int64_t tokens = all[most].tokens;
  for (const std::uint32_t m : members)
    if (all[m].tokens > tokens) {
      tokens = all[m].tokens;
      most = m;
    }
  return most;
}

/// Exact balance can leave a fraction of a token: every rank is given the rounded-up share.
RankLoad largest(std::span<const RankLoad> all) {
  RankLoad out;
  for (const RankLoad& r : all) {
    out.tokens = std::max(out.tokens, r.tokens);
    out.received = std::max(out.received, r.received);
    out.max_expert = std::max(out.max_expert, r.max_expert);
    out.touched = std::max(out.touched, r.touched);
  }
  return out;
}

}  // namespace

StepLoads::StepLoads(const TrainScenario& s, const ParallelLayout& layout, const Actors& actors, std::int64_t tokens_per_rank, std::int64_t sample)
    : scenario_(s), actors_(actors), sample_(sample), tokens_per_rank_(tokens_per_rank) {
  const MoeMlp* moe = s.model.moe();
  if (moe == nullptr) return;
  const auto law = load_laws().make(s.moe.load_law);
  balanced_ = law->exactly_balanced();
  shape_ = {tokens_per_rank_ * s.parallel.ep, moe->num_experts, moe->top_k};
  sampler_ = law->sampler(shape_, s.moe.load);
  counts_.resize(static_cast<std::size_t>(moe->num_experts));
  layers_ = s.model.num_layers() + s.model.mtp_layers;
  groups_.resize(actors.groups.size());
  index_in_group_.resize(actors.info.size());
  for (const auto& slots : actors.group_of) {
    const GroupId g = slots[slot(GroupKind::ep)];
    const ActorGroup& group = actors.groups[g.index()];
    // Groups of one stage differ in their edp coordinate; stages hold different layers. Expert-tensor peers route alike.
    groups_[g.index()].key = layout.coordinates(group.ranks.front()).edp;
    groups_[g.index()].at.resize(balanced_ ? 1 : static_cast<std::size_t>(layers_));
    for (std::uint32_t i = 0; i < group.members.size(); ++i) index_in_group_[group.members[i].index()] = i;
  }
}

GroupLoads& StepLoads::find(GroupState& state, BlockTag tag) const {
  std::vector<GroupLoads>& layer = state.at[balanced_ ? 0 : tag.layer];
  if (layer.empty()) layer.resize(balanced_ ? 1 : static_cast<std::size_t>(scenario_.num_micro_batches));
  return layer[balanced_ ? 0 : tag.micro_batch];
}

/// In fold the loads of real members make way for the next: they are many, and who asks again gets the same draw again.
const GroupLoads& StepLoads::of_group(GroupId g, BlockTag tag) {
  GroupState& state = groups_[g.index()];
  GroupLoads& at = find(state, tag);
  if (!at.ranks.empty()) return at;
  if (actors_.approximate && state.last) state.last->ranks = std::vector<RankLoad>();   // not = {}, which would keep the memory
  state.last = &at;
  DispatchPlan plan = draw(state, tag);
  if (at.actors.empty()) count(plan);
  if (balanced_) std::fill(plan.ranks.begin(), plan.ranks.end(), largest(plan.ranks));
  at.ranks = std::move(plan.ranks);
  if (actors_.approximate && at.actors.empty()) at.actors = onto_actors(actors_.groups[g.index()], at.ranks);
  return at;
}

DispatchPlan StepLoads::draw(const GroupState& g, BlockTag tag) {
  sampler_->draw({scenario_.seed, tag.layer, sample_, tag.micro_batch, g.key}, counts_);
  return plan_dispatch(counts_, scenario_.parallel.ep, tokens_per_rank_, shape_.top_k, scenario_.moe.capacity,
                       balanced_ ? SourceSpread::even : SourceSpread::random);
}

void StepLoads::count(const DispatchPlan& plan) {
  const Imbalance uneven = imbalance(counts_);
  std::int64_t most = 0, sum = 0;
  for (const RankLoad& r : plan.ranks) {
    most = std::max(most, r.tokens);
    sum += r.tokens;
  }
  sum_ratio_ += sum == 0 ? 1 : static_cast<double>(most) * static_cast<double>(plan.ranks.size()) / static_cast<double>(sum);
  sum_vio_ += uneven.max_vio;
  sum_gini_ += uneven.gini;
  routed_ += plan.routed;
  dropped_ += plan.dropped;
  ++draws_;
}

std::vector<GroupLoads::ActorLoad> StepLoads::onto_actors(const ActorGroup& group, std::span<const RankLoad> all) const {
  std::vector<GroupLoads::ActorLoad> out;
  for (const ActorId a : group.members) {
    const std::vector<std::uint32_t>& mine = actors_.expert_members[a.index()];
    const std::uint32_t most = most_loaded(all, mine);
    const bool mean = mine.size() > 1 && !actors_.info[a.index()].hottest;
    out.push_back({mean ? mean_of_others(all, mine, most) : all[most], most});
  }
  return out;
}

const RankLoad& StepLoads::of(ActorId a, BlockTag tag) {
  const GroupId g = actors_.group_of[a.index()][slot(GroupKind::ep)];
  GroupLoads& known = find(groups_[g.index()], tag);
  const GroupLoads& at = known.actors.empty() ? of_group(g, tag) : known;
  return at.actors.empty() ? at.ranks[actors_.expert_members[a.index()].front()] : at.actors[index_in_group_[a.index()]].load;
}

MoeStatistics StepLoads::statistics() const {
  if (draws_ == 0) return {};
  const double n = static_cast<double>(draws_);
  return {sum_ratio_ / n, sum_vio_ / n, sum_gini_ / n, static_cast<double>(dropped_) / static_cast<double>(routed_)};
}

}  // namespace moesim
