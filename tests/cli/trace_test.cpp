// The Chrome trace of a step is one that a viewer accepts: the trace event format's required fields, threads whose slices do not overlap,
// flows that end after they start, counters that never go below zero.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

/// Microseconds with six decimals -> picoseconds, exactly.
std::int64_t picoseconds(const Json& micros) { return std::llround(micros.get<double>() * 1e6); }

struct Checked {
  std::map<std::pair<int, int>, std::map<std::int64_t, std::int64_t>> slices;   // (pid, tid) -> begin -> end
  std::map<std::int64_t, std::int64_t> flow_begin;
  std::map<std::pair<int, std::string>, std::pair<std::int64_t, double>> counters;   // (pid, name) -> last (time, value)
  std::map<char, int> count;
  std::set<int> processes;
  std::int64_t last = 0;
};

void check_slice(const Json& e, Checked& c) {
  for (const char* key : {"name", "cat", "pid", "tid", "ts", "dur", "args"}) ASSERT_TRUE(e.contains(key)) << e;
  const std::int64_t begin = picoseconds(e["ts"]), end = begin + picoseconds(e["dur"]);
  ASSERT_GE(begin, 0) << e;
  ASSERT_GT(end, begin) << e;
  ASSERT_FALSE(e["name"].get<std::string>().empty()) << e;
  auto& thread = c.slices[{e["pid"].get<int>(), e["tid"].get<int>()}];
  const auto next = thread.upper_bound(begin);
  if (next != thread.end()) {
    ASSERT_LE(end, next->first) << "overlaps what follows: " << e;
  }
  if (next != thread.begin()) {
    ASSERT_GE(begin, std::prev(next)->second) << "overlaps what precedes: " << e;
  }
  thread[begin] = end;
  c.last = std::max(c.last, end);
}

void check_flow(const Json& e, Checked& c) {
  for (const char* key : {"name", "cat", "id", "pid", "tid", "ts"}) ASSERT_TRUE(e.contains(key)) << e;
  const std::int64_t id = e["id"].get<std::int64_t>();
  if (e["ph"] == "s") {
    ASSERT_TRUE(c.flow_begin.emplace(id, picoseconds(e["ts"])).second) << "starts twice: " << e;
  } else {
    ASSERT_EQ(e.value("bp", ""), "e") << e;
    ASSERT_TRUE(c.flow_begin.contains(id)) << "ends before it starts: " << e;
    ASSERT_GE(picoseconds(e["ts"]), c.flow_begin[id]) << e;
    c.flow_begin.erase(id);
  }
}

void check_counter(const Json& e, Checked& c) {
  for (const char* key : {"name", "pid", "ts", "args"}) ASSERT_TRUE(e.contains(key)) << e;
  ASSERT_EQ(e["args"].size(), 1u) << e;
  const double value = e["args"].begin()->get<double>();
  ASSERT_GE(value, 0) << e;
  auto& last = c.counters[{e["pid"].get<int>(), e["name"].get<std::string>()}];
  const std::int64_t now = picoseconds(e["ts"]);
  ASSERT_GE(now, last.first) << "goes back in time: " << e;
  last = {now, value};
}

Checked check(const Json& trace) {
  Checked c;
  for (const Json& e : trace.at("traceEvents")) {
    const std::string ph = e.at("ph").get<std::string>();
    ++c.count[ph[0]];
    c.processes.insert(e.at("pid").get<int>());
    if (ph == "X") check_slice(e, c);
    else if (ph == "s" || ph == "f") check_flow(e, c);
    else if (ph == "C") check_counter(e, c);
    else if (ph == "M") EXPECT_TRUE(e.at("args").contains("name")) << e;
    else ADD_FAILURE() << "unknown phase: " << e;
    if (testing::Test::HasFatalFailure()) break;
  }
  return c;
}

struct Case {
  std::string name;
  std::vector<std::string> args;
  bool has_experts = true;
};

class Trace : public testing::TestWithParam<Case> {};

TEST_P(Trace, IsOneThatAViewerAccepts) {
  const Scratch scratch;
  std::vector<std::string> args = GetParam().args;
  args.insert(args.end(), {"--trace", scratch / "trace.json", "--json", scratch / "report.json"});
  const ProgramRun r = moesim_run(args);
  ASSERT_EQ(r.status, 0) << r.err;
  const Json trace = Json::parse(file_text(scratch / "trace.json")), report = Json::parse(file_text(scratch / "report.json"));
  EXPECT_EQ(trace.at("otherData").at("complete"), true);
  const Checked c = check(trace);
  EXPECT_GT(c.count.at('X'), 100);
  EXPECT_EQ(c.count.contains('s'), GetParam().has_experts);
  EXPECT_TRUE(c.flow_begin.empty()) << c.flow_begin.size() << " flows never end";
  for (const auto& [of, last] : c.counters) EXPECT_EQ(last.second, 0) << of.second << " of process " << of.first;
  EXPECT_EQ(c.counters.size(), 2 * c.processes.size());
  // The last slice ends no later than the step, and not long before.
  const double step = report.at("step_time_s").get<double>();
  EXPECT_LE(static_cast<double>(c.last) * 1e-12, step + 1e-12);
  EXPECT_GE(static_cast<double>(c.last) * 1e-12, 0.9 * step);
}

INSTANTIATE_TEST_SUITE_P(Steps, Trace,
                         testing::Values(Case{"one_node", {"train", "first-moe-8xh100", "--global-batch-size", "16"}},
                                         Case{"every_rank", {"train", "first-moe-8xh100", "--global-batch-size", "16", "--detail", "ranks"}},
                                         Case{"dense", {"train", "first-moe-dense-twin-8xh100", "--global-batch-size", "16"}, false},
                                         Case{"pipeline", {"train", "mixtral-8x7b-64xh100", "--global-batch-size", "64"}},
                                         Case{"interleaved", {"train", "llama-3-70b-64xh100", "--global-batch-size", "32"}, false}),
                         [](const auto& i) { return i.param.name; });

TEST(TraceRanks, AreRanksThatAreSimulated) {
  const Scratch scratch;
  const auto error = [&](const std::string& ranks, const std::string& detail) {
    const ProgramRun r = moesim_run({"train", "first-moe-8xh100", "--detail", detail, "--trace", scratch / "t", "--trace-ranks", ranks});
    EXPECT_EQ(r.status, ranks == "3" && detail == "ranks" ? 0 : 2);
    return r.err;
  };
  EXPECT_EQ(error("3", "fold"), "moesim: trace: found rank 3, allowed are the ranks that stand for a class (or all with --detail ranks)\n");
  EXPECT_EQ(error("8", "ranks"), "moesim: trace: found rank 8, allowed are 0 to 7\n");
  for (const std::string ranks : {"", "x", "0,", ",0", "0;1", "-1", "0, 1"})
    EXPECT_EQ(error(ranks, "ranks"), "moesim: --trace-ranks: found \"" + ranks + "\", allowed are ranks separated by commas\n");
  EXPECT_EQ(error("3", "ranks"), "moesim: the trace shows 1 of 8 ranks; --trace-ranks chooses ranks, and fewer reach further\n");
  EXPECT_EQ(moesim_run({"train", "first-moe-8xh100", "--trace-ranks", "0"}).err, "moesim: --trace-ranks: only with --trace\n");
}

}  // namespace
}  // namespace moesim
