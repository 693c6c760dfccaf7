#include "validation/published_row.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"

namespace moesim {
namespace {

class PublishedRowFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("published_row_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& measured, const std::string& rest = "") {
    std::ofstream(folder_ / "row.json") << R"({"group": "g", "tier": 1, "scenario": {"kind": "train"}, "measured": {)" << measured << "}" << rest << "}";
    return folder_ / "row.json";
  }
  std::string refusal(const std::string& measured, const std::string& rest = "") {
    const std::filesystem::path file = write(measured, rest);
    try {
      read_published_row(file);
    } catch (const InputError& e) { return std::string(e.what()).substr(folder_.string().size() + 1); }
    return "";
  }

  std::filesystem::path folder_;
};

constexpr const char* kGood = R"("metric": "step_time_s", "value": 2.5, "unit": "s", "confidence": "P", "source": "a paper")";

TEST_F(PublishedRowFile, IsNamedAfterItsFile) {
  const PublishedRow row = read_published_row(write(kGood, R"(, "settled": ["vpp: 4"], "lacks": ["TP overlap"])"));
  EXPECT_EQ(row.id, "row");
  EXPECT_EQ(row.measured.value, 2.5);
  EXPECT_EQ(row.settled, std::vector<std::string>{"vpp: 4"});
  EXPECT_EQ(row.lacks, std::vector<std::string>{"TP overlap"});
}

TEST_F(PublishedRowFile, RefusesAUnitOfAnotherMetric) {
  EXPECT_EQ(refusal(R"("metric": "step_time_s", "value": 2, "unit": "ms", "confidence": "P", "source": "x")"),
            R"(row.json: measured.unit: found "ms", allowed is one of s; did you mean "s"?)");
}

TEST_F(PublishedRowFile, RefusesAFigureWithoutSource) {
  EXPECT_EQ(refusal(R"("metric": "step_time_s", "value": 2, "unit": "s", "confidence": "P")"), "row.json: measured.source: missing");
}

TEST_F(PublishedRowFile, RefusesAnUnknownMetricInOneLine) {
  EXPECT_EQ(refusal(R"("metric": "tokens", "value": 2, "unit": "s", "confidence": "P", "source": "x")"),
            R"(row.json: measured.metric: found "tokens", allowed is one of step_time_s, tokens_per_s_per_gpu, tflops_per_gpu, mfu; did you mean "tokens_per_s_per_gpu"?)");
}

TEST_F(PublishedRowFile, RefusesASlipInAKey) { EXPECT_EQ(refusal(kGood, R"(, "setled": [])"), R"(row.json: setled: unknown key; did you mean "settled"?)"); }

TEST_F(PublishedRowFile, AnEmptyFolderIsAnError) { EXPECT_THROW(read_published_rows(folder_), InputError); }

PublishedFigure figure(PublishedMetric metric, double value) {
  PublishedFigure out;
  out.metric = metric;
  out.value = value;
  return out;
}

// 1,000,000 tokens of 2 GFLOP on 10 GPUs: 2e15 FLOP, 2e14 a GPU.
TEST(PublishedFigures, BecomeStepTimes) {
  const auto time = [](const PublishedFigure& f) { return step_time_of(f, 1e6, 10, 2e9); };
  EXPECT_DOUBLE_EQ(time(figure(PublishedMetric::step_time_s, 3)), 3);
  EXPECT_DOUBLE_EQ(time(figure(PublishedMetric::tokens_per_s_per_gpu, 50'000)), 2);
  EXPECT_DOUBLE_EQ(time(figure(PublishedMetric::tflops_per_gpu, 100)), 2);
  PublishedFigure mfu = figure(PublishedMetric::mfu, 50);  // of 1000 TFLOP/s: 500, so 0.4 s
  mfu.peak_tflops = 1000;
  EXPECT_DOUBLE_EQ(time(mfu), 0.4);
}

TEST(PublishedFigures, UseTheFlopCountOfTheirAuthorsWhereItIsGiven) {
  PublishedFigure f = figure(PublishedMetric::tflops_per_gpu, 100);
  f.gigaflops_per_token = 4;
  EXPECT_DOUBLE_EQ(step_time_of(f, 1e6, 10, 2e9), 4);
}

}  // namespace
}  // namespace moesim
