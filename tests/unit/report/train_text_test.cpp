#include "report/train_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/compare_text.h"
#include "report/memory_text.h"
#include "report/table.h"
#include "report/train_json.h"

namespace moesim {
namespace {

TrainReport sample() {
  TrainReport r;
  r.scenario_name = "sample";
  r.model = "m";
  r.hardware = "h";
  r.stack = "s";
  r.layout = "TP1 PP1 EP8 ETP1 DP8, 1f1b, 64 micro-batches of 1 x 4096 tokens, a line that is long enough to wrap at eighty columns";
  r.detail = "ranks";
  r.gpus = 8;
  r.step_time_s = 2;
  r.tokens_per_s = 12345.6;
  r.tokens_per_s_per_gpu = 1543.2;
  r.tflops_per_gpu = 400;
  r.mfu = 0.404;
  r.hfu = 0.5;
  r.time_by_class_s[static_cast<std::size_t>(TimeClass::gemm)] = 1.5;
  r.time_by_class_s[static_cast<std::size_t>(TimeClass::bubble)] = 0.5;
  r.waterfall = waterfall(r.time_by_class_s, {0, 0.8, 0, 0});
  r.critical_path = {{"gemm", 1.8}, {"launch_stall", 0.2}};
  r.memory.stages = {{0, Bytes{1} * (std::int64_t{10} << 30), Bytes{0}, Bytes{0}, Bytes{0}, Bytes{0}, Bytes{0}, 1}};
  r.memory.capacity = Bytes{1} * (std::int64_t{8} << 30);
  r.provenance = {0, 0, 0.25, 0.75};
  r.warnings = {"a warning"};
  return r;
}

TEST(TrainText, IsNeverWiderThanAsked) {
  for (const std::size_t width : {80u, 120u}) {
    std::istringstream lines(to_text(sample(), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(TrainText, IsNotWiderThanAskedWhateverThingsAreCalled) {
  TrainReport r = sample();
  const std::string name(150, 'n');
  r.scenario_name = r.model = r.hardware = r.stack = name;
  r.warnings = {"a warning about " + name};
  r.defaults = {"parallel.pipeline_layout = " + name};
  r.moe = MoeStatistics{};
  r.interval_low_s = 1, r.interval_high_s = 3;
  for (TimeClass c = TimeClass::gemm; c != TimeClass::unattributed; c = static_cast<TimeClass>(static_cast<int>(c) + 1)) r.time_by_class_s[static_cast<std::size_t>(c)] = 0.123;
  r.waterfall = waterfall(r.time_by_class_s, {0, 0.1, 0, 0});
  for (const std::size_t width : {60u, 80u, 120u})
    for (const std::string& text : {to_text(r, width), compare_text(r, r, width)}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
    }
}

TEST(TrainText, OneIsNotMany) {
  TrainReport r = sample();
  r.gpus = 1;
  EXPECT_NE(to_text(r).find("h, 1 GPU\n"), std::string::npos);
  EXPECT_NE(to_text(r.memory).find("activations (1 chunk in flight)"), std::string::npos);
}

TEST(TrainText, LeavesOutBarsThatAreNothing) {
  const std::string text = to_text(sample());
  EXPECT_NE(text.find("pipeline bubble"), std::string::npos);
  EXPECT_EQ(text.find("recomputation"), std::string::npos);
}

TEST(TrainText, ComparisonPutsTheLargestChangeFirst) {
  TrainReport b = sample();
  b.time_by_class_s[static_cast<std::size_t>(TimeClass::bubble)] = 0.1;
  b.time_by_class_s[static_cast<std::size_t>(TimeClass::gemm)] = 1.6;
  b.waterfall = waterfall(b.time_by_class_s, {0, 0.8, 0, 0});
  const std::string text = compare_text(sample(), b);
  EXPECT_LT(text.find("pipeline bubble"), text.find("matrix kernels below peak"));
}

TEST(TrainText, ComparisonOfEqualsSaysSoInsteadOfAnEmptyTable) {
  EXPECT_TRUE(compare_text(sample(), sample()).ends_with("\n\nThe steps take the same time, in every part.\n"));
  TrainReport b = sample();
  b.step_time_s *= 1.0001;
  b.waterfall[0].seconds += 1e-4 * b.step_time_s;
  EXPECT_TRUE(compare_text(sample(), b).ends_with("\n\nNo part of the step changes by more than 0.050 % of it.\n")) << compare_text(sample(), b);
}

TEST(TrainText, ComparisonSaysWhichOfTheTwoDoesNotFit) {
  TrainReport small = sample();
  small.memory.capacity = Bytes{1} * (std::int64_t{16} << 30);
  const std::string text = compare_text(small, sample());
  EXPECT_NE(text.find("\nfits               yes        no\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nB does not fit: stage 0 needs 10.0 GiB of 8.00 GiB usable"), std::string::npos) << text;
  EXPECT_EQ(text.find("A does not fit"), std::string::npos);
  EXPECT_EQ(compare_text(small, small).find("fit"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 80u) << line;
}

TEST(CompareText, SaysWhereTransfersThatMeetMakeMostOfADifference) {
  TrainReport a = sample(), b = sample();
  a.unshared_step_time_s = 1.9;
  b.step_time_s = 1.95;
  b.unshared_step_time_s = 1.91;
  EXPECT_NE(compare_text(a, b, 400).find("\nMost of this difference may be chance: transfers that meet on a port cost 100 ms of A and 40.0 ms of B, and which of them "
                                         "meet hangs on small changes of timing. If none met, B would take 1.005x of A.\n"), std::string::npos)
      << compare_text(a, b, 400);
  b.step_time_s = 2.2;
  b.unshared_step_time_s = 2.05;
  EXPECT_EQ(compare_text(a, b).find("chance"), std::string::npos);
  EXPECT_EQ(compare_text(a, a).find("chance"), std::string::npos);
  EXPECT_EQ(compare_text(sample(), b).find("chance"), std::string::npos);
}

TEST(TrainText, SaysWhatItsUtilisationsCountAndDivideBy) {
  TrainReport r = sample();
  r.mfu_peak_tflops = 989.5;
  EXPECT_NE(to_text(r).find("MFU: Megatron's model FLOPs; HFU: FLOPs executed; both of 989.5 TFLOP/s (dense\n  bf16)"), std::string::npos) << to_text(r);
  r.moe = MoeStatistics{};
  r.moe->drop_rate = 0.01;
  EXPECT_NE(to_text(r).find("dropped tokens included"), std::string::npos);
}

TEST(TrainCsv, HasOneHeaderAndOneLineOfEqualLength) {
  const std::string csv = to_csv(sample());
  const std::size_t end = csv.find('\n');
  const auto commas = [](std::string_view s) { return std::count(s.begin(), s.end(), ','); };
  EXPECT_EQ(commas(csv.substr(0, end)), commas(csv.substr(end + 1)));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST(TrainJson, HasTheKeysThatProgramsRelyOn) {
  const std::string json = to_json(sample());
  for (const char* key : {"step_time_s", "tokens_per_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu", "hfu", "bubble_fraction", "fits",
                          "peak_memory_bytes", "memory_capacity_bytes", "memory", "time_by_class_s", "exposed_comm_s", "waterfall", "provenance",
                          "critical_path", "stack", "warnings", "detail", "seed", "engine", "scenario", "version"})
    EXPECT_NE(json.find("\"" + std::string(key) + "\":"), std::string::npos) << key;
}

TEST(TrainText, OfSeveralDrawsSaysWhichOneItShows) {
  TrainReport r = sample();
  EXPECT_EQ(to_text(r).find("draws"), std::string::npos);
  r.sample_step_times_s = {1, 2, 3};
  std::string text = to_text(r);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_NE(text.find("all but p50 and p95 is the first of 3 draws"), std::string::npos) << text;
}

}  // namespace
}  // namespace moesim
