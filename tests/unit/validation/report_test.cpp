#include "validation/validation_report.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "validation/bounds.h"
#include "validation/residuals.h"
#include "validation/validation_text.h"

namespace moesim {
namespace {

using testing::HasSubstr;

ValidationRow row(const std::string& id, const std::string& group, double measured, double predicted, bool moe = false) {
  ValidationRow out;
  out.id = id;
  out.group = group;
  out.gpus = 8;
  out.moe = moe;
  out.measured = measured;
  out.predicted = predicted;
  out.error = predicted / measured - 1;
  return out;
}

TEST(Summary, CountsEachGroupByItself) {
  // a: +10 %, -30 %, +5 %: mean of sizes 15, median 10, bias -5, worst -30.
  const auto s = summarise({row("x", "a", 1, 1.1), row("y", "a", 1, 0.7), row("z", "a", 1, 1.05), row("w", "b", 1, 2)});
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].rows, 3);
  EXPECT_NEAR(s[0].mape, 0.15, 1e-12);
  EXPECT_NEAR(s[0].median, 0.10, 1e-12);
  EXPECT_NEAR(s[0].bias, -0.05, 1e-12);
  EXPECT_NEAR(s[0].worst, -0.30, 1e-12);
  EXPECT_EQ(s[0].worst_id, "y");
  EXPECT_EQ(s[1].group, "b");
}

TEST(Residuals, KeepDenseAndMoeAndPeaksApart) {
  std::vector<ValidationRow> rows{row("a", "g", 1, 0.9), row("b", "g", 1, 1.1), row("c", "g", 1, 2, true)};
  EXPECT_NEAR(spread_of(step_errors(rows, false)).p10, -0.08, 1e-12);  // -0.1 + 0.1 * 0.2
  EXPECT_NEAR(spread_of(step_errors(rows, true)).p90, 1, 1e-12);
  EXPECT_EQ(residuals_text(rows), "constexpr ErrorSpread kDense{2, -0.080, 0.080, 0};\nconstexpr ErrorSpread kMoe{1, 1.000, 1.000, 1};\n");
  rows[1].memory = MemoryComparison{3, 2, 0.5, {}};
  EXPECT_EQ(peak_errors(rows), std::vector<double>{0.5});
  EXPECT_TRUE(residuals_text(rows).ends_with("constexpr ErrorSpread kPeak{1, 0.500, 0.500, 1};\n"));
}

TEST(Intervals, HoldTheMeasuredTimesOfTypicalErrors) {
  // predicted 110 with errors from -10 % to +10 %: measured from 100 to 122.2
  const auto [low, high] = likely_interval(110, {20, -0.1, 0.1});
  EXPECT_NEAR(low, 100, 1e-9);
  EXPECT_NEAR(high, 122.2222222, 1e-6);
}

class Bounds : public testing::Test {
 protected:
  std::map<std::string, ErrorBound> read(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_bounds.json");
    std::ofstream(file) << text;
    const auto close = [&] { std::filesystem::remove(file); };
    try {
      auto out = read_bounds(file);
      close();
      return out;
    } catch (...) {
      close();
      throw;
    }
  }
};

TEST_F(Bounds, TheLastOfAHistoryIsInForce) {
  const auto b = read(R"({"_about": "x", "g": {"rows": 2, "history": [{"date": "d1", "mape": 20, "worst": 40}, {"date": "d2", "mape": 10, "worst": 40}]}})");
  ASSERT_EQ(b.size(), 1u);
  EXPECT_DOUBLE_EQ(b.at("g").mape, 0.1);
  EXPECT_DOUBLE_EQ(b.at("g").worst, 0.4);
}

TEST_F(Bounds, NeverLoosen) {
  try {
    read(R"({"g": {"rows": 2, "history": [{"date": "d1", "mape": 10, "worst": 40}, {"date": "d2", "mape": 11, "worst": 40}]}})");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("g.history.1.mape: found 11.0 %, allowed is at most 10.0 % of d1: bounds only tighten"));
  }
}

TEST_F(Bounds, LoosenOnlyBecauseOfSomethingSaid) {
  const auto b = read(R"({"g": {"rows": 2, "history": [{"date": "d1", "mape": 10, "worst": 40}, {"date": "d2", "mape": 11, "worst": 41, "because": "work left out"}]}})");
  EXPECT_DOUBLE_EQ(b.at("g").mape, 0.11);
  EXPECT_DOUBLE_EQ(b.at("g").worst, 0.41);
}

TEST(MissedBounds, NameTheGroupAndTheRow) {
  const auto summary = summarise({row("x", "a", 1, 1.3), row("y", "b", 1, 1)});
  const std::map<std::string, ErrorBound> bounds{{"a", {2, 0.2, 0.25}}, {"c", {1, 1, 1}}};
  EXPECT_EQ(missed_bounds(summary, bounds, true),
            (std::vector<std::string>{"a: 1 rows, at least 2 are due", "a: mean |error| 30.0 %, the bound is 20.0 %",
                                      "a: worst |error| 30.0 % (x), the bound is 25.0 %", "b: no bound in bounds.json", "c: no rows, at least 1 are due"}));
  EXPECT_EQ(missed_bounds(summary, {{"a", {1, 0.3000001, 0.3000001}}, {"b", {1, 0, 0}}, {"c", {1, 1, 1}}}, false), std::vector<std::string>{});
}

TEST(MissedBounds, OfPeakMemoryAreByModel) {
  ValidationRow with_memory = row("x", "a", 1, 1);
  with_memory.model = "m";
  with_memory.memory = MemoryComparison{3, 2, 0.5, {}};
  ValidationReport r;
  r.rows = {with_memory};
  r.summary = summarise(r.rows);
  r.memory = summarise_memory(r.rows);
  EXPECT_EQ(missed_bounds(bounded_summaries(r), {{"a", {1, 0, 0}}, {"peak memory of m", {1, 0.4, 0.6}}}, true),
            std::vector<std::string>{"peak memory of m: mean |error| 50.0 %, the bound is 40.0 %"});
}

TEST(ValidationText, ShowsSignedErrorsAndTheReasonsOfMissingRows) {
  ValidationReport r;
  r.rows = {row("some-run", "a", 2, 2.098), row("other-run", "a", 2, 1)};
  r.rows[0].lacks = {"TP overlap"};
  r.rows[1].fits = false;
  r.summary = summarise(r.rows);
  r.left_out = {{"p", "no context parallelism"}, {"q", "no context parallelism"}};
  const std::string text = to_text(r);
  EXPECT_THAT(text, HasSubstr("some-run      8    2.00 s     2.10 s   +4.9 %  l\n"));
  EXPECT_THAT(text, HasSubstr("other-run     8    2.00 s     1.00 s  -50.0 %  m\n"));
  EXPECT_THAT(text, HasSubstr("2  no context parallelism\n"));
}

TEST(ValidationCsv, HasOneLineARow) {
  ValidationReport r;
  r.rows = {row("some-run", "a", 2, 3)};
  EXPECT_EQ(to_csv(r), "id,group,tier,gpus,metric,unit,predicted,measured,error,fits,peak_memory_predicted_bytes,peak_memory_measured_bytes\nsome-run,a,1,8,step_time_s,s,3.0,2.0,0.5,true,,\n");
}

}  // namespace
}  // namespace moesim
