// Timed kernels whose shapes are no grid: a closed form times a surface of ratios.
#pragma once

#include "calibration/kernel_tables.h"
#include "cost/residual_surface.h"

namespace moesim {

/// The surface of measured / closed_form over TimedRow::at, through the rows of `s` that are `seen`; nullptr without any.
std::unique_ptr<KernelModel> fit_surface(const TimedSeries& s, std::vector<double> scale, const Seen& seen);

/// A kind whose series are predicted so, each from its own rows; `at` holds logarithms to base 2 of sizes.
class SurfaceTable : public KernelTable {
 public:
  /// How far one unit of each entry of `at` counts.
  virtual std::vector<double> scale() const = 0;
  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const override {
    return fit_surface(all[which], scale(), seen);
  }
};

}  // namespace moesim
