// The engine against a reference that steps through time one picosecond after the other, on random small workloads.
#include "unit/engine/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "unit/engine/random_workload.h"

namespace moesim {
namespace {

using namespace test;

struct Writer : Observer {
  History history;
  void on_segment(const SegmentSpan& s) override {
    history.push_back(segment_line(s.actor.value(), s.stream, s.tag.layer, s.id, s.issued.count(), s.ready.count(), s.end.count()));
  }
  void on_transfer(const TransferSpan& t) override {
    history.push_back(transfer_line(t.actor.value(), t.stream, t.tag.layer, t.id, t.joined.count(), t.started.count(), t.end.count()));
  }
  void on_wait(const WaitSpan& w) override { history.push_back(wait_line(w.actor.value(), w.stream, w.tag.layer, w.slot, w.begin.count(), w.end.count())); }
  void on_host_wait(ActorId a, Time begin, Time end, SpanId) override { history.push_back(host_wait_line(a.value(), begin.count(), end.count())); }
  void on_mark(ActorId a, std::uint8_t s, std::uint32_t id, BlockTag tag, Time t) override { history.push_back(mark_line(a.value(), s, tag.layer, id, t.count())); }
};

/// Hears what the engine asks of a workload.
struct Asked : SmallWorkload {
  History* history = nullptr;
  explicit Asked(const SmallWorkload& w) : SmallWorkload(w) {}
  const Transfer& transfer(GroupId g, std::uint32_t id, BlockTag tag) override {
    history->push_back(asked_line(g.value(), id, tag.layer));
    return SmallWorkload::transfer(g, id, tag);
  }
};

History engine_history(const SmallWorkload& w, std::size_t launch_queue) {
  Asked work(w);
  Writer writer;
  work.history = &writer.history;
  Observer* observers[] = {&writer};
  EngineOptions options;
  options.launch_queue = launch_queue;
  try {
    run(work, observers, options);
  } catch (const InternalError& e) {
    if (std::string(e.what()).rfind("deadlock", 0) != 0) throw;
    writer.history.push_back("deadlock");
  }
  std::sort(writer.history.begin(), writer.history.end());
  return writer.history;
}

/// The first lines that only one of the two has, or nothing.
std::string difference(const History& engine, const History& reference) {
  const auto only = [](const History& a, const History& b) {
    History out;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out.empty() ? std::string("-") : out.front();
  };
  return engine == reference ? "" : "engine: " + only(engine, reference) + "; reference: " + only(reference, engine);
}

class Reference : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Reference, AgreesOnEverySpanOfRandomWorkloads) {
  std::size_t deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const SmallWorkload w = random_workload(seed, seed % 4 == 3);
    const History want = reference_history(w, GetParam());
    ASSERT_EQ(difference(engine_history(w, GetParam()), want), "") << "seed " << seed << "\n" << program_text(w);
    deadlocks += std::count(want.begin(), want.end(), "deadlock");
  }
  EXPECT_GT(deadlocks, 10u);     // crossed programs are among them, and the engine says so too
  EXPECT_LT(deadlocks, 400u);
}

TEST_P(Reference, AgreesWhereTransfersTakeOfTheirMembers) {
  std::size_t slower = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const SmallWorkload w = random_workload(seed, seed % 4 == 3, true);
    const History want = reference_history(w, GetParam());
    ASSERT_EQ(difference(engine_history(w, GetParam()), want), "") << "seed " << seed << "\n" << program_text(w);
    slower += want != reference_history(random_workload(seed, seed % 4 == 3), GetParam());
  }
  EXPECT_GT(slower, 300u);
}

INSTANTIATE_TEST_SUITE_P(LaunchQueue, Reference, ::testing::Values(1, 2, 3, 7, 1024));

TEST(Reference, KnowsWhatAFullQueueIs) {
  // Depth 2, kernels of 1 on the host and 10 on the device: the fourth is launched when the second begins, at 11.
  SmallWorkload w;
  for (int i = 0; i < 4; ++i) w.segment_of(0, 0, {{1, 10}});
  const History want{segment_line(0, 0, 0, 0, 0, 0, 11), segment_line(0, 0, 0, 1, 1, 11, 21), segment_line(0, 0, 0, 2, 2, 21, 31), segment_line(0, 0, 0, 3, 11, 31, 41)};
  EXPECT_EQ(reference_history(w, 2), want);
}

}  // namespace
}  // namespace moesim
