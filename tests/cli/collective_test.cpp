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
  const Json r = rows({"all_gather", "--hw", "dgx-h100", "--gpus", "8,16", "--bytes", "1K:5000:2,64MB,128"});
  std::vector<std::int64_t> bytes, gpus;
  for (const Json& row : r) {
    bytes.push_back(row.at("bytes"));
    gpus.push_back(row.at("gpus"));
  }
  EXPECT_THAT(bytes, testing::ElementsAre(1024, 2048, 4096, 64'000'000, 128, 1024, 2048, 4096, 64'000'000, 128));
  EXPECT_THAT(gpus, testing::ElementsAre(8, 8, 8, 8, 8, 16, 16, 16, 16, 16));
}

TEST(Collective, LeavesOutSizesThatHoldNoFloatForEachShareAndSaysSo) {
  const ProgramRun r = moesim_run({"collective", "all_gather", "--hw", "dgx-h100", "--gpus", "16", "--bytes", "8:128:2"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("\n  16    64  "));
  EXPECT_THAT(r.out, testing::Not(HasSubstr("\n  16    32  ")));
  EXPECT_THAT(r.out, HasSubstr("\nsizes below 64 B hold no float for each share of all_gather of 16 GPUs: left\n  out\n"));
  expect_refused({"all_gather", "--hw", "dgx-h100", "--gpus", "16", "--bytes", "63"}, "--bytes: found 63 B, allowed in all_gather of 16 GPUs is 64 B and more");
  expect_refused({"all_reduce", "--hw", "dgx-h100", "--gpus", "16", "--bytes", "3"}, "--bytes: found 3 B, allowed in all_reduce of 16 GPUs is 4 B and more");
}

TEST(Collective, SaysThatADomainIsPartlyFilledAndWhatWouldFillAll) {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> args{"collective", "all_reduce", "--hw", "gb200-nvl72", "--gpus", "512", "--bytes", "64M"};
    args.insert(args.end(), more.begin(), more.end());
    return moesim_run(args);
  };
  const ProgramRun all = run({}), even = run({"--domain", "64"});
  EXPECT_THAT(all.out, HasSubstr("\n512 GPUs fill 7 scale-up domains of 72 and 8 GPUs of another, which all wait\n  for; with --domain 64 every one has 64\n"));
  EXPECT_THAT(even.out, HasSubstr("all_reduce on gb200-nvl72, 64 GPUs of a domain\n"));
  EXPECT_THAT(even.out, testing::Not(HasSubstr("fill")));
  const auto us = [](const ProgramRun& r) { return std::stod(r.out.substr(r.out.find("Simple") + 6)); };
  EXPECT_LT(us(even), 0.6 * us(all));
  expect_refused({"all_reduce", "--hw", "gb200-nvl72", "--gpus", "512", "--bytes", "1M", "--domain", "73"}, "--domain: found \"73\", allowed is a whole number from 1 to 72");
}

TEST(Collective, FitsATerminalOf80Columns) {
  const auto widest = [](const ProgramRun& r) {
    EXPECT_EQ(r.status, 0) << r.err;
    std::size_t out = 0;
    for (const std::string& line : lines_of(r.out)) out = std::max(out, line.size());
    return out;
  };
  EXPECT_LE(widest(moesim_run({"collective", "all_gather", "--hw", "alps-gh200", "--gpus", "4096", "--bytes", "1T"})), 80U);
  EXPECT_LE(widest(moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--compare", kLog})), 80U);
}

TEST(Collective, OfPartlyFilledDomainsIsQuickAtAnySize) {   // it was quadratic in domains or in the places below uplinks: minutes
  EXPECT_EQ(rows({"all_reduce", "--hw", "alps-gh200", "--gpus", "1048573", "--bytes", "1K:1G:32"}).size(), 5U);
  EXPECT_EQ(rows({"all_to_all", "--hw", "alps-gh200", "--gpus", "1048573", "--bytes", "4M:4G:4"}).size(), 6U);
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

TEST(Collective, ReadsFromALogHowManyGpusOfEachNodeTookPart) {
  const Scratch scratch;
  const std::string file = (scratch / "log").string(), rows = "# size count type redop root time algbw busbw error\n134217728 16777216 float sum -1 3578.6 37.51 37.51 1e-07\n";
  const auto rank = [](int n, const std::string& host) { return "#  Rank " + std::to_string(n) + " Group 0 Pid 1 on " + host + " device 0 [0x07] NVIDIA H100\n"; };
  std::ofstream(file) << rank(0, "node01") << rank(1, "node02") << rows;
  const ProgramRun two = moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--compare", file});
  EXPECT_THAT(two.out, HasSubstr("all_reduce on dgx-h100, 1 GPU of a domain, 2 GPUs\n"));
  EXPECT_THAT(two.out, HasSubstr("analytic"));
  EXPECT_THAT(two.out, testing::Not(HasSubstr("wrong")));   // older releases print a deviation, not a count, in the last column
  std::ofstream(file) << rank(0, "node01") << rank(1, "node01") << rows;
  const ProgramRun one = moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--compare", file});
  EXPECT_THAT(one.out, HasSubstr("all_reduce on dgx-h100, 2 GPUs\n"));
}

TEST(Collective, CsvHasALineARow) {
  const ProgramRun r = moesim_run({"collective", "alltoall", "--hw", "alps-gh200", "--gpus", "4", "--bytes", "1MiB", "--csv", "-"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("\nall_to_all,alps-gh200,4,1048576,pairwise,"));
}

TEST(Collective, SaysThatTimesInPlaceAreLeftOut) {
  const Scratch scratch;
  const std::string file = (scratch / "log").string();
  std::ofstream(file) << "#  Rank 0 on n device 0\n#  Rank 1 on n device 1\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
                      << "17179869184 4294967296 float none -1 120000 143.17 143.17 0 120001 143.17 143.17 0\n";
  const ProgramRun r = moesim_run({"collective", "broadcast", "--hw", "alps-gh200", "--compare", file});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, testing::Not(HasSubstr("120001")));
  EXPECT_THAT(r.out, HasSubstr("\nin-place times do not fit in 80 columns; --csv and --json have them\n"));
}

TEST(Collective, SaysWhatItNeeds) {
  const std::string list = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, sendrecv";
  expect_refused({}, "collective: expected a collective, such as all_reduce");
  expect_refused({"allgather"}, "found \"allgather\", allowed is a collective: " + list + "; did you mean \"all_gather\"?");
  expect_refused({"all_gather", "--gpus", "8"}, "collective: missing: --hw, --bytes");
  const ProgramRun unknown = moesim_run({"collective", "all_gather", "--gpus", "8", "--hw", "h100_sxm", "--bytes", "1M"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::AllOf(testing::StartsWith("moesim: found \"h100_sxm\", allowed is a hardware profile in "), testing::EndsWith(" (given by --hw)\n")));
  const auto with = [](const std::string& bytes, const std::string& gpus) {
    return std::vector<std::string>{"all_gather", "--hw", "dgx-h100", "--bytes", bytes, "--gpus", gpus};
  };
  expect_refused(with("64mb", "8"), "--bytes: found \"64mb\", allowed is a size in bytes such as \"80 GB\"; a size cannot be in bits");
  expect_refused(with("0", "8"), "--bytes: found \"0\", allowed is 1 B to 1024 TiB");
  expect_refused(with("2MB:1MB", "8"), "--bytes: found \"2MB:1MB\", allowed is MIN:MAX with MIN at most MAX");
  expect_refused(with("1:8:1", "8"), "--bytes: found \"1:8:1\", allowed is MIN:MAX:FACTOR with a whole factor of 2 and more");
  expect_refused(with("1:8:2:2", "8"), "--bytes: found \"1:8:2:2\", allowed is MIN:MAX or MIN:MAX:FACTOR");
  expect_refused(with("1K", "1"), "--gpus: found \"1\", allowed is a whole number from 2 to 1048576");
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
  const std::string header = "# size count type redop root time algbw busbw #wrong\n", row = "1048576 262144 float sum -1 50 20.97 36.70 0\n";
  std::ofstream(file) << header + row;
  const std::vector<std::string> eight{"--hw", "dgx-h100", "--gpus", "8", "--compare", file};
  const auto of = [&](const std::string& op) {
    std::vector<std::string> out = eight;
    out.insert(out.begin(), op);
    return out;
  };
  expect_refused(of("all_gather"), file + ": found redop sum, asked for all_gather, which reduces nothing");
  expect_refused(of("reduce_scatter"), file + ": found busbw / algbw of 1.75, that of reduce_scatter on 8 GPUs is 0.875");
  EXPECT_EQ(moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--gpus", "8", "--compare", file}).status, 0);
  std::ofstream(file) << header + row + header + row;
  expect_refused(of("all_reduce"), file + ":3: found a second header of nccl-tests, allowed is one test a file");
  std::ofstream(file) << header + "1048576 262144 float sum -1 50 20.97 36.70 3\n";
  EXPECT_THAT(moesim_run({"collective", "all_reduce", "--hw", "dgx-h100", "--gpus", "8", "--compare", file}).out, HasSubstr("#wrong is above 0 in 1 row: the run itself computed wrong results"));
  std::ofstream(file) << "# size count type redop root time algbw busbw #wrong\n8 2 float sum -1 12.5 0 0 0\n";
  expect_refused({"all_reduce", "--hw", "dgx-h100", "--compare", file}, file + ": found no list of ranks, allowed is --gpus N of 2 and more beside it");
}

}  // namespace
}  // namespace moesim
