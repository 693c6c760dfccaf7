// Tables of communication: curves over sizes, fitted together (`curve_model.h`).
#pragma once

#include <string_view>

#include "calibration/curve_model.h"
#include "calibration/kernel_tables.h"

namespace moesim {

class CurveTable : public KernelTable {
 public:
  /// A row of a series as the model sees it.
  virtual CurvePoint point(const TimedSeries&, const TimedRow&) const = 0;
  /// As `Likeness`; series of kinds with 0 are fitted apart.
  virtual double likeness(std::string_view kind, std::string_view other) const = 0;

  bool learns_from_other_series() const final { return true; }
  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const final;
};

}  // namespace moesim
