// One slower GPU or NIC changes what depends on it and nothing else.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "property/account_totals.h"
#include "property/random_scenario.h"

namespace moesim {
namespace {

/// Start and end of everything that a rank does before its gradients are reduced, and when the first reduction of all began: from then on
/// every rank may share a port with a transfer that waited for somebody else.
struct Log : Observer {
  explicit Log(const TrainStep& s) : step(s), of(s.actors().size()) {}
  void on_segment(const SegmentSpan& s) override {
    if (s.stream != 0 || step.segment_info(s.actor, s.id, s.tag).phase == Phase::optimizer) return;
    of[s.actor.index()].emplace_back(s.ready, s.end);
  }
  void on_transfer(const TransferSpan& t) override {
    if (step.transfer_kind(t.id) < TransferKind::grad_reduce) of[t.actor.index()].emplace_back(t.joined, t.end);
    else reduction = std::min(reduction, t.started);
  }
  /// What rank `r` had done by `until`, in order.
  std::vector<std::pair<Time, Time>> by(std::uint32_t r, Time until) const {
    std::vector<std::pair<Time, Time>> out;
    for (const auto& span : of[r])
      if (span.second <= until) out.push_back(span);
    std::sort(out.begin(), out.end());
    return out;
  }
  const TrainStep& step;
  std::vector<std::vector<std::pair<Time, Time>>> of;   // by rank
  Time reduction = Time::max();
};

/// Ranks that the slow one meets before gradients are reduced: in its tensor, expert and pipeline groups, and theirs.
std::set<std::uint32_t> dependents(const ParallelLayout& layout, std::uint32_t slow) {
  std::set<std::uint32_t> out{slow};
  std::vector<std::uint32_t> open{slow};
  while (!open.empty()) {
    const Rank r(open.back());
    open.pop_back();
    for (const GroupKind kind : {GroupKind::tp, GroupKind::pp, GroupKind::ep, GroupKind::etp})
      for (const Rank peer : layout.members(kind, layout.group_of(kind, r)))
        if (out.insert(peer.value()).second) open.push_back(peer.value());
  }
  return out;
}

std::string perturbed(const std::string& text, const std::string& what, std::uint32_t rank, double factor) {
  Json s = Json::parse(text);
  s["perturb"] = {{what, {{std::to_string(rank), factor}}}};
  return s.dump();
}

struct Slow {
  const char* what;
  double factor;
};
constexpr Slow kSlow[] = {{"gpu_speed", 0.9}, {"nic_speed", 0.5}};

TEST(Perturbed, RanksOutsideItsGroupsRunAsBeforeUntilGradientsAreReduced) {
  int outside = 0, touched = 0;
  for (std::uint64_t seed = 1; seed < 400 && !HasFailure(); ++seed) {
    const test::ScenarioLimits limits{64, "balanced", true};
    const std::optional<TrainScenario> even = test::random_scenario(seed, limits);
    if (!even || even->overlap.grad_reduce) continue;
    const ParallelLayout layout(even->parallel);
    const auto slow = static_cast<std::uint32_t>(seed % static_cast<std::uint64_t>(even->parallel.gpus));
    const std::set<std::uint32_t> met = dependents(layout, slow);
    if (static_cast<std::int64_t>(met.size()) == even->parallel.gpus) continue;
    for (const Slow& how : kSlow) {
      const std::string text = perturbed(test::random_scenario_text(seed, limits), how.what, slow, how.factor);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      const TrainScenario uneven = test::scenario(text);
      TrainStep a(*even, Detail::ranks), b(uneven, Detail::ranks);
      Log before(a), after(b);
      Observer *watch_a[] = {&before}, *watch_b[] = {&after};
      const Time end = a.run(watch_a).end, later = b.run(watch_b).end;
      EXPECT_GE(later, end);
      for (std::uint32_t r = 0; r < before.of.size(); ++r) {
        if (met.count(r)) continue;
        ++outside;
        EXPECT_TRUE(before.by(r, before.reduction) == after.by(r, before.reduction)) << "rank " << r << " does not depend on rank " << slow;
      }
      touched += before.of[slow] != after.of[slow];
    }
  }
  EXPECT_GE(outside, 500);
  EXPECT_GE(touched, 50);
}

TEST(Perturbed, FoldEqualsRanksInEveryClassOfTime) {
  int cases = 0;
  for (std::uint64_t seed = 1; seed < 250 && !HasFailure(); ++seed) {
    const test::ScenarioLimits limits{64, "balanced", seed % 2 == 0};
    const std::optional<TrainScenario> even = test::random_scenario(seed, limits);
    if (!even) continue;
    for (const Slow& how : kSlow) {
      const auto slow = static_cast<std::uint32_t>(seed % static_cast<std::uint64_t>(even->parallel.gpus));
      const std::string text = perturbed(test::random_scenario_text(seed, limits), how.what, slow, how.factor);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      const TrainScenario s = test::scenario(text);
      const test::Totals fold = test::totals(s, Detail::fold), ranks = test::totals(s, Detail::ranks);
      EXPECT_EQ(fold.end, ranks.end);
      EXPECT_EQ(fold.time, ranks.time);
      ++cases;
    }
  }
  EXPECT_GE(cases, 150);
}

}  // namespace
}  // namespace moesim
