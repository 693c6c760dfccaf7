// What measurements say beyond a closed form: scattered ratios of measured to predicted time, and what lies between them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cost/cost.h"

namespace moesim {

/// Logarithms of ratios at points of a space of few dimensions (logarithms to base 2 of sizes, usually). Between the points the ratio is
/// their mean, weighted by distance to the power -4; far from all of them it becomes the mean of the nearest side.
class ResidualSurface {
 public:
  /// `scale` says how far one unit of each dimension counts; `softness` is added to every distance, so that points as near as that share.
  ResidualSurface(std::vector<double> scale, double softness);

  /// `at` has as many entries as `scale`. Throws InternalError if not.
  void add(std::span<const double> at, double log_ratio);
  std::size_t size() const { return ratios_.size(); }

  struct Value {
    double log_ratio = 0;
    double nearest = 0;    // distance to the nearest point, in scaled units: 0 = measured there
  };
  /// Throws InternalError on an empty surface.
  Value value(std::span<const double> at) const;

 private:
  std::vector<double> scale_;
  double softness_;
  std::vector<double> points_;      // scaled, row-major
  std::vector<double> ratios_;
};

/// measured: a timed point itself; interpolated: within `near` of one; else extrapolated.
Provenance provenance_of(const ResidualSurface::Value&, double near);

}  // namespace moesim
