// Kinds of tables of timed kernels, one file each under kernel_tables/: which columns they have and what their rows mean.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/registry.h"
#include "calibration/scores.h"
#include "calibration/surface_fit.h"
#include "hw/profile.h"

namespace moesim {

class KernelTable {
 public:
  virtual ~KernelTable() = default;
  virtual std::vector<std::string_view> columns() const = 0;
  /// One score a series of the device, in the order in which series first occur; rows that moesim has no kernel for are left out. Throws
  /// InputError for a cell that is not what its column holds.
  virtual std::vector<SeriesScore> scores(const CsvTable&, std::string_view device, const HwProfile&) const = 0;
};

/// A kind whose shapes are no grid.
class SurfaceTable : public KernelTable {
 public:
  virtual std::vector<SurfaceSeries> series(const CsvTable&, std::string_view device, const HwProfile&) const = 0;
  std::vector<SeriesScore> scores(const CsvTable&, std::string_view device, const HwProfile&) const final;
};

Registry<KernelTable> kernel_tables();

}  // namespace moesim
