#include "unit/validation/shown_figures.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

TEST(ShownFigures, AreThoseOfTheReportAndNothingElseChanges) {
  ValidationReport r;
  r.rows.resize(65);
  r.rows[0].memory = MemoryComparison{};
  r.rows[1].fits = r.rows[2].fits = false;
  r.left_out.resize(7);
  r.summary = {{.group = "dense", .rows = 20, .mape = 0.0416, .median = 0.03, .bias = -0.0004, .worst = -0.1, .worst_id = "x"},
               {.group = "dense too", .rows = 1, .mape = 1, .median = 1, .bias = 1, .worst = 1, .worst_id = "x"}};
  EXPECT_EQ(test::with_figures_of(r, "It simulates 3 published steps.\n| dense | 1 | 1.0 % | +2.0 % | +3.0 % |\n| dense | 1 | 1.0 % | 2.0 % | +2.0 % | +3.0 % |\n"
                                     "9 more rows, the peaks of 5 runs; 5 rows that ran are said not to fit\n| dense, TP > 1 | 5 rows of 7 % |\n"),
            "It simulates 65 published steps.\n| dense | 20 | 4.2 % | +0.0 % | -10.0 % |\n| dense | 20 | 4.2 % | 3.0 % | +0.0 % | -10.0 % |\n"
            "7 more rows, the peaks of 1 runs; 2 rows that ran are said not to fit\n| dense, TP > 1 | 5 rows of 7 % |\n");
}

}  // namespace
}  // namespace moesim
