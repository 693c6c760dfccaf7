#include "calibration/roofline_fit.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

TEST(RooflineFit, FindsTheConstantsThatMadeTheRows) {
  const ThreeConstants truth{3e-6, 700e12, 2.5e12};
  std::vector<TimedRow> rows;
  for (const double flops : {0.0, 1e9, 1e10, 1e11, 1e12})
    for (const double bytes : {1e4, 1e6, 1e7, 1e8, 1e9}) {
      rows.push_back({"", {}, 0, 1, 0, flops, bytes});
      rows.back().seconds = truth.seconds(rows.back());
    }
  const std::optional<ThreeConstants> fit = fit_three_constants(rows, [](const TimedRow&) { return true; });
  ASSERT_TRUE(fit);
  for (const TimedRow& r : rows) EXPECT_NEAR(fit->seconds(r) / r.seconds, 1, 0.02);
}

TEST(RooflineFit, NeedsWork) {
  const auto all = [](const TimedRow&) { return true; };
  EXPECT_FALSE(fit_three_constants({}, all));
  EXPECT_FALSE(fit_three_constants(std::vector<TimedRow>{{"", {}, 64, 1e-6, 1e-6, 0, 0}}, all));
}

}  // namespace
}  // namespace moesim
