#include "calibration/curve_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moesim {
namespace {

double alike(std::string_view, std::string_view) { return 0.9; }

/// seconds = start + bytes / rate, times `factor`.
CurvePoint point(double log_size, const std::string& kind = "gather", const std::string& machine = "a", double gpus = 8, double factor = 1) {
  const double bytes = std::exp2(log_size);
  CurvePoint p;
  p.form = "new ring";
  p.regime = "ring";
  p.terms = {1e-6, 0, bytes / 1e9};
  p.machine = machine;
  p.kind = kind;
  p.log_gpus = std::log2(gpus);
  p.log_size = log_size;
  p.seconds = factor * (10e-6 + bytes / 300e9);
  return p;
}

std::vector<CurvePoint> curve(const std::string& kind, const std::string& machine, double gpus, double factor) {
  std::vector<CurvePoint> out;
  for (double size = 10; size <= 30; size += 1) out.push_back(point(size, kind, machine, gpus, factor));
  return out;
}

TEST(CurveModel, FindsTheCoefficientsOfAForm) {
  const CurveModel m(curve("gather", "a", 8, 1), alike);
  for (const double size : {9.0, 14.5, 31.0}) EXPECT_NEAR(m.seconds(point(size)) / point(size).seconds, 1, 1e-9) << size;
}

TEST(CurveModel, CoefficientsAreNeverNegative) {
  // Times that fall with bytes: the best form is a start alone.
  std::vector<CurvePoint> points{point(10), point(20), point(30)};
  points[0].seconds = 3e-3, points[1].seconds = 2e-3, points[2].seconds = 1.9e-3;
  const CurveModel m(points, alike);
  EXPECT_GT(m.seconds(point(40)), 1e-3);
}

TEST(CurveModel, KeepsWhatWasMeasuredAndForgetsItFarAway) {
  std::vector<CurvePoint> points = curve("gather", "a", 8, 1);
  for (CurvePoint& p : points)
    if (p.log_size == 20) p.seconds *= 1.2;
  const CurveModel m(points, alike);
  EXPECT_NEAR(m.seconds(point(20)) / point(20).seconds, 1.2, 0.04);
  EXPECT_NEAR(m.seconds(point(29)) / point(29).seconds, 1, 0.02);
}

TEST(CurveModel, ACurveThatWasNotMeasuredFollowsItsNeighbours) {
  // Everything on machine b takes 1.3 times as long; its gather over 4 GPUs was never seen, only over 8, and on machine a.
  std::vector<CurvePoint> points;
  for (const CurvePoint& p : curve("gather", "a", 4, 1)) points.push_back(p);
  for (const CurvePoint& p : curve("gather", "a", 8, 1)) points.push_back(p);
  for (const CurvePoint& p : curve("gather", "b", 8, 1.3)) points.push_back(p);
  for (const CurvePoint& p : curve("scatter", "b", 4, 1.3)) points.push_back(p);
  const CurveModel m(points, alike);
  EXPECT_NEAR(m.seconds(point(20, "gather", "b", 4)) / point(20).seconds, 1.3, 0.08);
  EXPECT_NEAR(m.seconds(point(20, "gather", "a", 4)) / point(20).seconds, 1, 0.03);
}

TEST(CurveModel, RepeatedTimingsCountOnceWithTheirLowerQuartile) {
  std::vector<CurvePoint> points = curve("gather", "a", 8, 1);
  for (const double factor : {1.0, 5.0}) points.push_back(point(20, "gather", "a", 8, factor));   // beside the one of the curve
  EXPECT_NEAR(CurveModel(points, alike).seconds(point(20)) / point(20).seconds, 1, 1e-6);
}

TEST(CurveModel, AFormThatNoPointHasIsGuessed) {
  const CurveModel m(curve("gather", "a", 8, 1), alike);
  CurvePoint p = point(20);
  p.form = "new switch";
  p.regime = "switch";
  EXPECT_NEAR(m.seconds(p) / point(20).seconds, 1, 1e-6) << "by the form of the same first word";
  p.guess = 7e-6;
  EXPECT_NEAR(m.seconds(p) / 7e-6, 1, 1e-6);
}

}  // namespace
}  // namespace moesim
