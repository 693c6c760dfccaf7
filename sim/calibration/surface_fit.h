// Timed kernels whose shapes are no grid: a closed form times a surface of ratios.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/scores.h"
#include "cost/residual_surface.h"

namespace moesim {

struct TimedPoint {
  std::vector<double> place;   // coordinates of the surface, logarithms to base 2 of sizes
  double form = 0;             // seconds by the closed form
  double seconds = 0;          // measured
  std::string shape;           // what is left out together, "64 heads, 8 kv heads, 128"
};

struct SurfaceSeries {
  std::string device, table, kernel, format;
  std::vector<double> scale;   // of each coordinate
  std::vector<TimedPoint> points;
};

/// The surface through all points but those of `without`.
ResidualSurface fit_surface(const SurfaceSeries&, const std::string& without = {});
double predicted_seconds(const ResidualSurface&, const TimedPoint&);

SeriesScore score(const SurfaceSeries&);

}  // namespace moesim
