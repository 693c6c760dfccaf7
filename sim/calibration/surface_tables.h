// Kinds of tables that become surfaces, one file each under surface_tables/: which columns they have and what their rows mean.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/registry.h"
#include "calibration/surface_fit.h"
#include "hw/profile.h"

namespace moesim {

class SurfaceTable {
 public:
  virtual ~SurfaceTable() = default;
  virtual std::vector<std::string_view> columns() const = 0;
  /// The rows of one device as series, in the order in which they first occur; rows that moesim has no kernel for are left out.
  virtual std::vector<SurfaceSeries> series(const CsvTable&, std::string_view device, const HwProfile&) const = 0;
};

Registry<SurfaceTable> surface_tables();

}  // namespace moesim
