#include "validation/nccl_tests_log.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file_text.h"
#include "support/profiles.h"
#include "validation/collectives.h"

namespace moesim {
namespace {

const std::string kHeader = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";

NcclTestsLog shipped(const std::string& name) {
  const std::string file = std::string(MOESIM_SOURCE_DIR) + "/tests/fuzz/seeds/nccl_tests/" + name;
  return parse_nccl_tests(read_file(file), file);
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_nccl_tests(text, "log");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(NcclTestsLog, TakesTestRanksRowsAndAverageOfARecentLayout) {
  const NcclTestsLog log = shipped("all_reduce_2.17.txt");
  EXPECT_EQ(log.test, "all_reduce_perf");
  EXPECT_EQ(log.gpus, 8);
  ASSERT_EQ(log.rows.size(), 3u);
  EXPECT_EQ(log.rows[1].bytes, 1 << 20);
  EXPECT_EQ(log.rows[1].count, 1 << 18);
  EXPECT_EQ(log.rows[1].type, "float");
  EXPECT_EQ(log.rows[1].out_of_place_us, 25.40);
  EXPECT_EQ(log.rows[1].in_place_us, 25.39);
  EXPECT_EQ(log.average_busbw, 144.8);
}

TEST(NcclTestsLog, TakesTheOldLayoutWithoutRedopAndRootBehindMpirun) {
  const NcclTestsLog log = shipped("all_gather_2.0_mpirun.txt");
  EXPECT_EQ(log.test, "");
  EXPECT_EQ(log.gpus, 2);
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].out_of_place_us, 10.80);
  EXPECT_EQ(log.rows[0].in_place_us, 10.75);
  EXPECT_EQ(log.average_busbw, 0.095);
}

TEST(NcclTestsLog, TakesOneGroupOfTimes) {
  const NcclTestsLog log = shipped("alltoall_one_group.txt");
  EXPECT_EQ(log.gpus, 0);
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].out_of_place_us, 17.42);
  EXPECT_FALSE(log.rows[0].in_place_us);
}

TEST(NcclTestsLog, RowsOfSizeZeroAndRemarksAndWhatLibrariesPrintAreLeftOut) {
  const NcclTestsLog log = parse_nccl_tests("NCCL version 2.29.2+cuda13.0\n10.0.0.1:77:78 [0] NCCL INFO Bootstrap\n" + kHeader +
                                                "  0  0 float sum -1  0.21 0.00 0.00 0  0.22 0.00 0.00 0\r\n\n0:   8  2 float sum -1  15.5 0.00 0.00 0  N/A 0.00 0.00 N/A\r\n",
                                            "log");
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].bytes, 8);
  EXPECT_FALSE(log.rows[0].in_place_us);
}

TEST(NcclTestsLog, NamesTheLineOfWhatItCannotRead) {
  EXPECT_EQ(error_of(""), "log: found no header of nccl-tests, allowed is what one of its programs prints (\"# size count type ... time algbw busbw\")");
  EXPECT_EQ(error_of("{\"rows\": []}\n"), error_of(""));
  EXPECT_EQ(error_of(kHeader), "log: found no row of nccl-tests below its header");
  EXPECT_EQ(error_of("8 2 float sum -1 1 0 0 0 1 0 0 0\n" + kHeader), "log:1: found a row before the header of nccl-tests");
  EXPECT_EQ(error_of(kHeader + "8 2 float sum -1 15.5 0.00\n"), "log:2: found 7 cells, allowed is 11 to 13");
  EXPECT_EQ(error_of(kHeader + "8 2 float sum -1 fast 0 0 0 15.5 0 0 0\n"), "log:2: time: found \"fast\", allowed is a number of microseconds above 0");
  EXPECT_EQ(error_of(kHeader + "8 2 float sum -1 0.00 0 0 0 15.5 0 0 0\n"), "log:2: time: found \"0.00\", allowed is a number of microseconds above 0");
  EXPECT_EQ(error_of(kHeader + "8 x float sum -1 1 0 0 0 1 0 0 0\n"), "log:2: count: found \"x\", allowed is a number of elements");
  EXPECT_EQ(error_of(kHeader + "9000000000000000 2 float sum -1 1 0 0 0 1 0 0 0\n"), "log:2: size: found \"9000000000000000\", allowed is a number of bytes up to 2^50");
  EXPECT_EQ(error_of("# size count time\n"), "log:1: found another header than those of nccl-tests");
  EXPECT_EQ(error_of("# Collective test starting: all_reduce_perf\n# Collective test starting: reduce_perf\n"),
            "log:2: found a log of reduce_perf after one of all_reduce_perf, allowed is one test a file");
}

TEST(Collectives, ErrorsAreOfTheOutOfPlaceTimes) {
  const HwProfile hw = test::dgx_h100();
  const NcclTestsLog log = shipped("all_reduce_2.17.txt");
  const CollectiveReport report = compare_collectives(collective_test("all_reduce"), log, "log", std::nullopt, hw);
  ASSERT_EQ(report.rows.size(), log.rows.size());
  double sum = 0;
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    EXPECT_EQ(report.rows[i].us, predict_collective(collective_test("all_reduce"), log.rows[i].bytes, 8, hw).us);
    EXPECT_DOUBLE_EQ(report.rows[i].error(), report.rows[i].us / log.rows[i].out_of_place_us - 1);
    sum += std::abs(report.rows[i].error());
  }
  EXPECT_DOUBLE_EQ(comparison_errors(report).mean, sum / 3);
}

TEST(Collectives, CountElementsAsNcclTestsDoes) {
  // of the whole buffer, or of one rank's share
  EXPECT_EQ(element_count(CollectiveOp::all_reduce, 1 << 20, 8), 1 << 18);
  EXPECT_EQ(element_count(CollectiveOp::all_gather, 1 << 20, 8), 1 << 15);
  EXPECT_EQ(element_count(CollectiveOp::all_to_all, 1 << 20, 8), 1 << 15);
  EXPECT_EQ(element_count(CollectiveOp::broadcast, 1 << 20, 8), 1 << 18);
}

TEST(Collectives, SendrecvOverNodesIsBoundByTheNic) {
  const HwProfile hw = test::dgx_h100();
  const CollectiveTest send = collective_test("sendrecv");
  EXPECT_GT(predict_collective(send, 1 << 26, 8, hw).busbw, 100);
  EXPECT_LT(predict_collective(send, 1 << 26, 9, hw).busbw, 50);
  EXPECT_EQ(predict_collective(send, 1 << 26, 9, hw).us, predict_collective(send, 1 << 26, 256, hw).us);
}

}  // namespace
}  // namespace moesim
