#include "cost/residual_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace moesim {

ResidualSurface::ResidualSurface(std::vector<double> scale, double softness) : scale_(std::move(scale)), softness_(softness) {}

void ResidualSurface::add(std::span<const double> at, double log_ratio) {
  if (at.size() != scale_.size()) throw InternalError("a point of another dimension");
  for (std::size_t i = 0; i < at.size(); ++i) points_.push_back(at[i] * scale_[i]);
  ratios_.push_back(log_ratio);
}

ResidualSurface::Value ResidualSurface::value(std::span<const double> at) const {
  if (ratios_.empty() || at.size() != scale_.size()) throw InternalError("a surface without points, or a point of another dimension");
  double sum = 0, weights = 0, nearest = std::numeric_limits<double>::max();
  const double* p = points_.data();
  for (const double ratio : ratios_) {
    double distance = 0;
    for (std::size_t i = 0; i < scale_.size(); ++i) distance += std::abs(at[i] * scale_[i] - *p++);
    nearest = std::min(nearest, distance);
    const double inverse = 1 / (distance + softness_);
    const double weight = inverse * inverse * inverse * inverse;
    sum += weight * ratio;
    weights += weight;
  }
  return {sum / weights, nearest};
}

Provenance provenance_of(const ResidualSurface::Value& v, double near) {
  return v.nearest == 0 ? Provenance::measured : v.nearest <= near ? Provenance::interpolated : Provenance::extrapolated;
}

}  // namespace moesim
