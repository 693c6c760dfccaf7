// `moesim collective` as a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

using testing::HasSubstr;

const std::string kLog = std::string(MOESIM_SOURCE_DIR) + "/tests/fuzz/seeds/nccl_tests/all_reduce_2.17.txt";

Json rows(std::vector<std::string> args) {
  args.insert(args.begin(), "collective");
  args.insert(args.end(), {"--json", "-"});
  const ProgramRun r = moesim_run(args);
  EXPECT_EQ(r.status, 0) << r.err;
  return Json::parse(r.out).at("rows");
}

void expect_refused(std::vector<std::string> args, const std::string& line) {
  args.insert(args.begin(), "collective");
  const ProgramRun r = moesim_run(args);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "moesim: " + line + "\n");
}

TEST(Collective, ListsEverySizeOfEveryNumberOfGpus) {
  const Json r = rows({"all_gather", "--hw", "dgx-h100", "--gpus", "8,16", "--bytes", "1K:5000:2,64MB,8"});
  std::vector<std::int64_t> bytes, gpus;
  for (const Json& row : r) {
    bytes.push_back(row.at("bytes"));
    gpus.push_back(row.at("gpus"));
  }
  EXPECT_THAT(bytes, testing::ElementsAre(1024, 2048, 4096, 64'000'000, 8, 1024, 2048, 4096, 64'000'000, 8));
  EXPECT_THAT(gpus, testing::ElementsAre(8, 8, 8, 8, 8, 16, 16, 16, 16, 16));
}

TEST(Collective, BandwidthsFollowNcclTests) {
  const Json row = rows({"all_reduce", "--hw", "dgx-h100", "--gpus", "8", "--bytes", "64MiB"}).at(0);
  const double us = row.at("time_us"), algbw = 67108864 / us / 1e3;
  EXPECT_DOUBLE_EQ(row.at("algbw_GBps").get<double>(), algbw);
  EXPECT_DOUBLE_EQ(row.at("busbw_GBps").get<double>(), algbw * 1.75);
}

TEST(Collective, TakesTheKernelOfAServingEngineWhereItWasTimed) {
  const Json row = rows({"all_reduce", "--hw", "dgx-h200", "--gpus", "4", "--bytes", "64KiB", "--kernel", "vllm"}).at(0);
  EXPECT_EQ(row.at("algorithm"), "fused");
  EXPECT_EQ(row.at("provenance"), "measured");
  EXPECT_LT(row.at("time_us"), rows({"all_reduce", "--hw", "dgx-h200", "--gpus", "4", "--bytes", "64KiB"}).at(0).at("time_us"));
  const auto refused = [](const std::string& op, const std::string& hw, const std::string& gpus, const std::string& kernel, const std::string& line) {
    expect_refused({op, "--hw", hw, "--gpus", gpus, "--bytes", "1M", "--kernel", kernel}, line);
  };
  refused("all_reduce", "alps-gh200", "4", "vllm", "--kernel: no all-reduce kernel of an engine was timed on alps-gh200");
  refused("all_reduce", "dgx-h200", "4", "vlm", "--kernel: found \"vlm\", allowed on dgx-h200 is one of trtllm, vllm, vllm_eager");
  refused("all_reduce", "dgx-h200", "16", "vllm", "--gpus: found 16, allowed is 2 to 8 inside one node with --kernel");
  refused("all_gather", "dgx-h200", "4", "vllm", "--kernel: found with all_gather, allowed is all_reduce");
}

TEST(Collective, ComparesWithALogOfItsOwnSizesAndRanks) {
  const ProgramRun r = moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--compare", kLog});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("error of 3 out-of-place times"));
  EXPECT_THAT(r.out, HasSubstr("measured 144.80 GB/s"));
  const Json j = Json::parse(moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--compare", kLog, "--json", "-"}).out);
  EXPECT_EQ(j.at("rows").size(), 3u);
  EXPECT_EQ(j.at("summary").at("measured_busbw_GBps"), 144.8);
  const Json& row = j.at("rows").at(2);
  EXPECT_DOUBLE_EQ(row.at("error").get<double>(), row.at("time_us").get<double>() / 324.5 - 1);
}

TEST(Collective, CsvHasALineARow) {
  const ProgramRun r = moesim_run({"collective", "alltoall", "--hw", "alps-gh200", "--gpus", "4", "--bytes", "1MiB", "--csv", "-"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("\nall_to_all,alps-gh200,4,1048576,pairwise,"));
}

TEST(Collective, SaysWhatItNeeds) {
  const std::string list = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, sendrecv";
  expect_refused({}, "collective: expected a collective, such as all_reduce");
  expect_refused({"allgather"}, "found \"allgather\", allowed is a collective: " + list + "; did you mean \"all_gather\"?");
  expect_refused({"all_gather", "--gpus", "8"}, "collective: missing: --hw, --bytes");
  const auto with = [](const std::string& bytes, const std::string& gpus) {
    return std::vector<std::string>{"all_gather", "--hw", "dgx-h100", "--bytes", bytes, "--gpus", gpus};
  };
  expect_refused(with("64mb", "8"), "--bytes: found \"64mb\", allowed is a size in bytes such as \"80 GB\"; a size cannot be in bits");
  expect_refused(with("0", "8"), "--bytes: found \"0\", allowed is 1 B to 1024 TiB");
  expect_refused(with("2MB:1MB", "8"), "--bytes: found \"2MB:1MB\", allowed is MIN:MAX with MIN at most MAX");
  expect_refused(with("1:8:1", "8"), "--bytes: found \"1\", allowed is a whole factor of 2 and more");
  expect_refused(with("1:8:2:2", "8"), "--bytes: found \"1:8:2:2\", allowed is MIN:MAX or MIN:MAX:FACTOR");
  expect_refused(with("1", "1"), "--gpus: found \"1\", allowed is a whole number from 2 to 1048576");
  expect_refused(with("1", "8,"), "--gpus: found \"\", allowed is a whole number from 2 to 1048576");
}

TEST(Collective, RefusesALogOfSomethingElse) {
  const std::vector<std::string> compare{"all_reduce", "--hw", "dgx-h100", "--compare", kLog};
  const auto more = [&](std::vector<std::string> words) {
    words.insert(words.begin(), compare.begin(), compare.end());
    return words;
  };
  expect_refused({"all_gather", "--hw", "dgx-h100", "--compare", kLog}, kLog + ": found a log of all_reduce_perf, asked for all_gather");
  expect_refused(more({"--gpus", "4"}), kLog + ": found a log of 8 GPUs, asked for 4 by --gpus");
  expect_refused(more({"--gpus", "4,8"}), "--gpus: found \"4,8\", allowed is one number with --compare");
  expect_refused(more({"--bytes", "8"}), "--bytes: not with --compare, whose file has the sizes");
  Scratch scratch;
  const std::string file = (scratch / "log").string();
  std::ofstream(file) << "# size count type redop root time algbw busbw #wrong\n8 2 float sum -1 12.5\n";
  expect_refused({"all_reduce", "--hw", "dgx-h100", "--gpus", "8", "--compare", file}, file + ":2: found 6 cells, allowed is 7 to 9");
  std::ofstream(file) << "# size count type redop root time algbw busbw #wrong\n8 2 float sum -1 12.5 0 0 0\n";
  expect_refused({"all_reduce", "--hw", "dgx-h100", "--compare", file}, file + ": found no list of ranks, allowed is --gpus N of 2 and more beside it");
}

}  // namespace
}  // namespace moesim
