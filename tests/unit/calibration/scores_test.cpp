#include "calibration/scores.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

/// Predicts for every case the mean of all rows that it saw, in any series.
class MeanTable : public KernelTable {
 public:
  std::vector<std::string_view> columns() const override { return {}; }
  std::vector<TimedSeries> read(const CsvTable&, std::string_view, const HwProfile&, UnansweredRows&) const override { return {}; }
  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t, const HwProfile&, const Seen& seen) const override {
    double sum = 0, rows = 0;
    for (const TimedSeries& s : all)
      for (const TimedRow& r : s.rows)
        if (seen(r)) sum += r.seconds, ++rows;
    struct Model : KernelModel {
      double mean = 0;
      double seconds(const TimedRow&) const override { return mean; }
    };
    auto out = std::make_unique<Model>();
    out->mean = sum / rows;
    return rows > 0 ? std::move(out) : nullptr;
  }
};

TimedRow row(std::string shape, double at, double seconds, double size = 0) { return {std::move(shape), {at}, size, seconds, 2 * seconds, 0, 1}; }

TEST(ErrorStats, AreOfSizesAndOfSignedErrors) {
  const ErrorStats e = error_stats(std::vector<double>{-0.1, 0.3, 0.1, 0.1});
  EXPECT_EQ(e.rows, 4);
  EXPECT_DOUBLE_EQ(e.median, 0.1);
  EXPECT_DOUBLE_EQ(e.mean, 0.15);
  EXPECT_DOUBLE_EQ(e.bias, 0.1);
}

TEST(ScoreFolds, LeaveAShapeOutOfEverySeriesOfTheDevice) {
  const std::vector<TimedSeries> all{{"d", "t", "f", "k", "bf16", {row("a", 1, 1), row("b", 1, 3)}},
                                     {"d", "t", "g", "k", "bf16", {row("a", 1, 100), row("b", 1, 5)}}};
  const SeriesScore s = score_folds(MeanTable(), all, 0, {});
  EXPECT_EQ(s.model, "curve");
  EXPECT_EQ(s.left_out.rows, 2);
  // a by the mean of both b: 4 for 1; b by that of both a: 50.5 for 3.
  EXPECT_DOUBLE_EQ(s.left_out.mean, (3 + (50.5 / 3 - 1)) / 2);
  EXPECT_DOUBLE_EQ(s.closed_form.mean, 1);
  EXPECT_FALSE(s.left_out_sizes);
  EXPECT_TRUE(s.baseline);
}

TEST(ScoreFolds, CannotLeaveOutTheOnlyShape) {
  const std::vector<TimedSeries> all{{"d", "t", "f", "k", "bf16", {row("a", 1, 1), row("a", 2, 3)}}};
  EXPECT_EQ(score_folds(MeanTable(), all, 0, {}).left_out.rows, 0);
}

TEST(ScoreFolds, LeaveOutEveryOtherSizeOfACurveButItsLast) {
  std::vector<TimedSeries> all{{"d", "t", "f", "k", "bf16", {}}};
  for (const double size : {8, 4, 2, 1}) all[0].rows.push_back(row("a", size, size, size));
  const SeriesScore s = score_folds(MeanTable(), all, 0, {});
  ASSERT_TRUE(s.left_out_sizes);
  EXPECT_EQ(s.left_out_sizes->rows, 1);   // 2 of 1, 2, 4, 8: by the mean of the others
  EXPECT_DOUBLE_EQ(s.left_out_sizes->mean, (13.0 / 3) / 2 - 1);
}

TEST(ScoreRows, TellsCasesThatTheFitSawFromOthers) {
  const std::vector<TimedSeries> shipped{{"d", "t", "f", "k", "bf16", {row("a", 1, 2, 1), row("a", 2, 2, 2)}}};
  const TimedSeries mine{"d", "t", "f", "k", "bf16", {row("a", 1, 1, 1), row("a", 3, 4, 3), row("b", 1, 8, 1)}};
  const SeriesScore s = score_rows(MeanTable(), shipped, mine, "d", {}, {});
  EXPECT_EQ(s.model, "curve");
  EXPECT_EQ(s.used.rows, 1);
  EXPECT_DOUBLE_EQ(s.used.mean, 1);
  ASSERT_TRUE(s.left_out_sizes);
  EXPECT_DOUBLE_EQ(s.left_out_sizes->mean, 0.5);
  EXPECT_DOUBLE_EQ(s.left_out.mean, 0.75);
  EXPECT_EQ(s.closed_form.rows, 2);   // of what the fit never saw
}

TEST(ScoreRows, TakesTheNearestSeriesInTheSameFormatAndSaysSo) {
  const std::vector<TimedSeries> shipped{{"d", "t", "g-1", "x", "bf16", {row("a", 1, 9)}},
                                         {"d", "t", "f-1", "k", "fp8", {row("a", 1, 9)}},
                                         {"d", "t", "f-1", "k", "bf16", {row("a", 1, 1)}},
                                         {"d", "t", "h-1", "y", "int", {row("a", 1, 1), row("a", 2, 1), row("a", 3, 1)}}};
  EXPECT_EQ(score_rows(MeanTable(), shipped, {"d", "t", "f-2", "k", "bf16", {row("a", 1, 1)}}, "d", {}, {}).model, "curve of f-1 k");
  EXPECT_EQ(score_rows(MeanTable(), shipped, {"d", "t", "g-2", "k2", "bf16", {row("a", 1, 1)}}, "d", {}, {}).model, "curve of g-1 x");
  EXPECT_EQ(score_rows(MeanTable(), shipped, {"d", "t", "f-1", "k", "bf16", {row("a", 1, 1)}}, "d", {}, {}).used.rows, 1);
  std::vector<TimedSeries> more = shipped;
  more.push_back({"d", "t", "h-1", "z", "bf16", {row("a", 1, 1), row("a", 2, 1), row("a", 3, 1)}});   // a richer one of another library
  EXPECT_EQ(score_rows(MeanTable(), more, {"d", "t", "g-2", "k2", "bf16", {row("a", 1, 1)}}, "d", {}, {}).model, "curve of h-1 z");
  EXPECT_EQ(score_rows(MeanTable(), more, {"d", "t", "f-2", "k", "bf16", {row("a", 1, 1)}}, "d", {}, {}).model, "curve of f-1 k");
  const SeriesScore none = score_rows(MeanTable(), shipped, {"d", "t", "f-1", "k", "fp4", {row("a", 1, 1)}}, "d", {}, {});
  EXPECT_EQ(none.model, "closed form");
  EXPECT_DOUBLE_EQ(none.left_out.mean, 1);
  EXPECT_FALSE(none.baseline);
}

TEST(ScoreRows, OfAMachineThatBorrowsCurvesAreAllLeftOut) {
  const std::vector<TimedSeries> shipped{{"d", "t", "f", "k", "bf16", {row("a", 1, 2, 1)}}};
  HwProfile machine;
  machine.gpu.name = "GH200";
  auto curves = std::make_shared<MeasuredCurves>();
  curves->gpu = "H200";
  machine.measured.curves = curves;
  const SeriesScore s = score_rows(MeanTable(), shipped, {"mine", "t", "f", "k", "bf16", {row("a", 1, 1, 1)}}, "d", machine, machine);
  EXPECT_EQ(s.used.rows, 0);
  EXPECT_EQ(s.left_out.rows, 1);
  EXPECT_EQ(s.model, "closed form");   // the table ships no curve, and a fit to another GPU's rows is none of this one
}

}  // namespace
}  // namespace moesim
