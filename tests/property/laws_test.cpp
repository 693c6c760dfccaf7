// It is the events that make the time.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/critical_path.h"
#include "support/train_cases.h"

namespace moesim {
namespace {

struct Outcome {
  Time end{0};
  std::vector<TimeAttribution::Account> accounts;
  std::vector<ActorInfo> actors;
};

/// A kernel beside a transfer may take longer or shorter when another one moves.
EngineOptions nothing_taken() {
  EngineOptions out;
  out.take_of_members = false;
  return out;
}

Outcome simulate(const TrainScenario& s, Detail detail, std::vector<Observer*> more = {}, const EngineOptions& options = {}) {
  TrainStep step(s, detail);
  TimeAttribution attribution(step);
  more.push_back(&attribution);
  Outcome out;
  out.end = step.run(more, options).end;
  attribution.finish(out.end);
  for (std::uint32_t a = 0; a < step.actors().size(); ++a) out.accounts.push_back(attribution.of(ActorId(a)));
  out.actors = step.actors();
  return out;
}

TEST(Laws, EveryPicosecondOfEveryRankIsInExactlyOneClass) {
  for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
    TrainCase c = random_case(seed);
    c.load = seed % 2 ? "multinomial" : "balanced";
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.json());
    const Outcome r = simulate(c.scenario(), Detail::ranks);
    for (const auto& account : r.accounts) {
      EXPECT_EQ(std::accumulate(account.time.begin(), account.time.end(), std::int64_t{0}), r.end.count());
      EXPECT_EQ(account.time[static_cast<std::size_t>(TimeClass::unattributed)], 0);
    }
  }
}

TEST(Laws, FoldStandsForEveryRankInEveryClassOfTime) {
  for (std::uint64_t seed = 2000; seed < 2040; ++seed) {
    const TrainCase c = random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.json());
    const Outcome ranks = simulate(c.scenario(), Detail::ranks), fold = simulate(c.scenario(), Detail::fold);
    for (std::size_t k = 0; k < kTimeClasses; ++k) {
      std::int64_t all = 0, classes = 0, multiplicity = 0;
      for (const auto& a : ranks.accounts) all += a.time[k];
      for (std::size_t a = 0; a < fold.accounts.size(); ++a) {
        classes += fold.accounts[a].time[k] * fold.actors[a].multiplicity;
        multiplicity += fold.actors[a].multiplicity;
      }
      EXPECT_EQ(multiplicity, c.gpus);
      EXPECT_EQ(classes, all) << name(static_cast<TimeClass>(k));
    }
  }
}

TEST(Laws, UnevenLoadFoldsToWithinTwoPercent) {
  struct Uneven { std::int64_t gpus, tp, pp, ep, etp; const char* load; const char* dispatcher; const char* hardware; };
  const Uneven cases[] = {
      {8, 1, 1, 8, 1, "multinomial", "alltoall", "dgx-h100"},     {16, 1, 1, 16, 1, "multinomial", "deepep", "dgx-h100"},
      {32, 1, 4, 8, 1, "multinomial", "alltoall", "dgx-h100"},    {64, 1, 4, 16, 1, "multinomial", "deepep", "dgx-h100"},
      {64, 2, 2, 32, 1, "multinomial", "alltoall", "dgx-h100"},   {32, 4, 1, 8, 1, "multinomial", "allgather", "alps-gh200"},
      {16, 1, 1, 4, 1, "multinomial", "alltoall", "alps-gh200"},  {16, 2, 1, 8, 2, "multinomial", "alltoall", "dgx-h100"},
      {8, 1, 1, 8, 1, "zipf", "alltoall", "dgx-h100"},            {32, 1, 2, 16, 1, "zipf", "deepep", "dgx-h100"},
      {64, 1, 4, 8, 1, "zipf", "alltoall", "h800-deepseek"},      {128, 1, 4, 32, 1, "zipf", "deepep", "h800-deepseek"},
      {64, 2, 4, 8, 1, "zipf", "allgather", "alps-gh200"},        {48, 1, 2, 8, 1, "multinomial", "deepep", "alps-gh200"},
  };
  for (const Uneven& u : cases) {
    TrainCase c;
    c.model = R"({"extends": "qwen3-30b-a3b", "num_hidden_layers": 8})";
    c.gpus = u.gpus, c.tp = u.tp, c.pp = u.pp, c.ep = u.ep, c.etp = u.etp, c.load = u.load, c.dispatcher = u.dispatcher;
    c.hardware = "\"" + std::string(u.hardware) + "\"";
    c.micro_batches = 8, c.seq_length = 4096;
    const double ranks = seconds(simulate(c.scenario(), Detail::ranks).end), fold = seconds(simulate(c.scenario(), Detail::fold).end);
    std::printf("  %-11s %-9s %-13s %3d GPUs TP%d PP%d EP%-2d ETP%d: ranks %.4f s, fold %+.2f %%\n", u.load, u.dispatcher, u.hardware, static_cast<int>(u.gpus),
                static_cast<int>(u.tp), static_cast<int>(u.pp), static_cast<int>(u.ep), static_cast<int>(u.etp), ranks, (fold / ranks - 1) * 100);
    EXPECT_NEAR(fold / ranks, 1, 0.02) << c.json();
  }
}

TEST(Laws, OneSlowGpuNeverMakesTheStepFasterAndFoldsExactly) {
  for (std::uint64_t seed = 3000; seed < 3060; ++seed) {
    TrainCase c = random_case(seed);
    const Time even = simulate(c.scenario(), Detail::ranks).end;
    const std::string rank = std::to_string(seed % static_cast<std::uint64_t>(c.gpus));
    for (const std::string& slow : {R"("gpu_speed": {")" + rank + R"(": 0.9})", R"("nic_speed": {")" + rank + R"(": 0.5})"}) {
      c.extra = R"(, "perturb": {)" + slow + "}";
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.json());
      const Time ranks = simulate(c.scenario(), Detail::ranks).end;
      EXPECT_GE(ranks, even);
      EXPECT_EQ(simulate(c.scenario(), Detail::fold).end, ranks);
    }
  }
}

TEST(Laws, ASlowGpuChangesOnlyWhatDependsOnIt) {
  // Pure data parallelism: ranks meet first at the gradient reduction, so the others' kernels take as long as before, and they wait.
  TrainCase c;
  c.gpus = 8, c.seq_length = 4096, c.load = "";
  c.model = R"({"extends": "qwen3-8b", "num_hidden_layers": 4})";
  const Outcome even = simulate(c.scenario(), Detail::ranks);
  c.extra = R"(, "perturb": {"gpu_speed": {"3": 0.9}})";
  const Outcome slow = simulate(c.scenario(), Detail::ranks);
  EXPECT_GT(slow.end, even.end);
  for (std::size_t r = 0; r < 8; ++r)
    for (const TimeClass k : {TimeClass::gemm, TimeClass::attention, TimeClass::memory_bound}) {
      const auto i = static_cast<std::size_t>(k);
      if (r == 3) EXPECT_NEAR(static_cast<double>(slow.accounts[r].time[i]) / static_cast<double>(even.accounts[r].time[i]), 1 / 0.9, 0.001);
      else EXPECT_EQ(slow.accounts[r].time[i], even.accounts[r].time[i]) << r;
    }
  EXPECT_GT(slow.accounts[0].time[static_cast<std::size_t>(TimeClass::dp_wait)], even.accounts[0].time[static_cast<std::size_t>(TimeClass::dp_wait)]);
}

TEST(Laws, ASlowNicChangesNothingInsideOneNode) {
  TrainCase c;
  c.gpus = 8, c.ep = 8;
  const Time even = simulate(c.scenario(), Detail::ranks).end;
  c.extra = R"(, "perturb": {"nic_speed": {"3": 0.5}})";
  EXPECT_EQ(simulate(c.scenario(), Detail::ranks).end, even);
}

TEST(Laws, TheSameSeedGivesTheSameStepAndAnotherSeedAnother) {
  TrainCase c;
  c.ep = 8, c.load = "multinomial", c.seq_length = 8192;   // long enough that the host is not what counts
  const Time once = simulate(c.scenario(), Detail::fold).end;
  EXPECT_EQ(simulate(c.scenario(), Detail::fold).end, once);
  c.extra = R"(, "seed": 7)";
  EXPECT_NE(simulate(c.scenario(), Detail::fold).end, once);
}

TEST(Laws, TheCriticalPathIsAsLongAsTheStepWithoutHoles) {
  for (std::uint64_t seed = 4000; seed < 4030; ++seed) {
    const TrainCase c = random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.json());
    CriticalPath path;
    const Outcome r = simulate(c.scenario(), Detail::fold, {&path});
    Time at{0};
    for (const PathItem& i : path.items(r.end)) {
      ASSERT_EQ(i.begin, at);
      at = i.end;
    }
    EXPECT_EQ(at, r.end);
  }
}

TEST(Laws, RaisingExpertParallelismLeavesAttentionAlone) {
  TrainCase c;
  c.gpus = 16;
  const Outcome one = simulate(c.scenario(), Detail::fold);
  c.ep = 8;
  const Outcome eight = simulate(c.scenario(), Detail::fold);
  const auto i = static_cast<std::size_t>(TimeClass::attention);
  // Kernels of one segment share its time by rounded fractions: equal but for that.
  EXPECT_NEAR(static_cast<double>(one.accounts[0].time[i]), static_cast<double>(eight.accounts[0].time[i]), 1000);
}

/// The step's work with one segment instance made longer.
class Longer : public Workload {
 public:
  Longer(Workload& w, ActorId a, std::uint32_t id, BlockTag tag, Time by) : w_(w), actor_(a), id_(id), tag_(tag), by_(by) {}
  std::size_t actors() const override { return w_.actors(); }
  std::size_t streams() const override { return w_.streams(); }
  std::size_t event_slots() const override { return w_.event_slots(); }
  std::size_t groups() const override { return w_.groups(); }
  std::optional<Block> next_block(ActorId a) override { return w_.next_block(a); }
  GroupId group(ActorId a, std::uint16_t s) const override { return w_.group(a, s); }
  std::span<const ActorId> members(GroupId g) const override { return w_.members(g); }
  const Transfer& transfer(GroupId g, std::uint32_t id, BlockTag t) override { return w_.transfer(g, id, t); }
  std::int64_t capacity(ActorId a, Port p) const override { return w_.capacity(a, p); }
  Segment segment(ActorId a, std::uint32_t id, BlockTag tag) override {
    Segment s = w_.segment(a, id, tag);
    if (a != actor_ || id != id_ || tag != tag_) return s;
    s.device += by_;
    s.lag += by_;
    return s;
  }

 private:
  Workload& w_;
  ActorId actor_;
  std::uint32_t id_;
  BlockTag tag_;
  Time by_;
};

Time with_longer(const TrainScenario& s, ActorId a, std::uint32_t id, BlockTag tag, Time by) {
  TrainStep step(s, Detail::ranks);
  Time end{0};
  step.visit([&](Workload& w) {
    Longer longer(w, a, id, tag, by);
    end = run(longer, {}, nothing_taken()).end;
  });
  return end;
}

TEST(Laws, AMillisecondOnTheCriticalPathIsAMillisecondOfTheStep) {
  int cases = 0;
  for (std::uint64_t seed = 5000; seed < 5080; ++seed) {
    TrainCase c = random_case(seed);
    c.gpus = std::min<std::int64_t>(c.gpus, 16);
    if (c.gpus % (c.tp * c.pp) != 0 || c.gpus % (c.etp * c.ep * c.pp) != 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.json());
    const TrainScenario s = c.scenario();
    CriticalPath path;
    const Outcome r = simulate(s, Detail::ranks, {&path}, nothing_taken());
    TrainStep step(s, Detail::ranks);
    if (step.run({}, nothing_taken()).counters.contended_transfers > 0) continue;   // where transfers share a port, later can be slower as well
    ++cases;
    const std::vector<PathItem> items = path.items(r.end);
    std::size_t tried = 0;
    for (std::size_t i = 0; i < items.size() && tried < 5; i += 1 + items.size() / 7) {
      const PathItem& item = items[i];
      if (item.kind != PathItem::Kind::segment || step.segment_info(item.actor, item.id, item.tag).items.empty()) continue;
      ++tried;
      EXPECT_EQ(with_longer(s, item.actor, item.id, item.tag, kMillisecond) - r.end, kMillisecond);
    }
  }
  EXPECT_GE(cases, 5);
}

TEST(Laws, OffTheCriticalPathLessThanTheSlackChangesNothing) {
  // A slow GPU makes everybody else wait: rank 0's last backward has slack, at least what it waits in the gradient reduction.
  TrainCase c;
  c.gpus = 8, c.seq_length = 4096, c.load = "", c.extra = R"(, "perturb": {"gpu_speed": {"3": 0.9}})";
  c.model = R"({"extends": "qwen3-8b", "num_hidden_layers": 4})";
  const TrainScenario s = c.scenario();
  struct Last : Observer {
    SegmentSpan span{};
    void on_segment(const SegmentSpan& x) override {
      if (x.actor == ActorId(0) && x.stream == 0 && x.tag.micro_batch == 3 && x.tag.layer == 1) span = x;
    }
  } last;
  const Outcome r = simulate(s, Detail::ranks, {&last});
  const Time slack{r.accounts[0].time[static_cast<std::size_t>(TimeClass::dp_wait)]};
  ASSERT_GT(slack, kMillisecond);
  EXPECT_EQ(with_longer(s, ActorId(0), last.span.id, last.span.tag, slack - kMillisecond), r.end);
  EXPECT_GT(with_longer(s, ActorId(0), last.span.id, last.span.tag, slack + kMillisecond), r.end);
}

}  // namespace
}  // namespace moesim
