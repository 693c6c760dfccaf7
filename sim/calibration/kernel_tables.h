// Kinds of tables of timed kernels and transfers, one file each under kernel_tables/: which columns they have, what their rows mean, and
// how moesim predicts them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/registry.h"
#include "calibration/timed_series.h"
#include "hw/profile.h"

namespace moesim {

/// What a fit knows.
class KernelModel {
 public:
  virtual ~KernelModel() = default;
  /// > 0 and finite, also for a case of another series of the same kind of table.
  virtual double seconds(const TimedRow&) const = 0;
  /// Relative standard deviation of the measurement around that, because the case leaves to chance what exactly was timed.
  virtual double chance(const TimedRow&) const { return 0; }
};

/// Whether a fit may see a row.
using Seen = std::function<bool(const TimedRow&)>;

class KernelTable {
 public:
  virtual ~KernelTable() = default;
  virtual std::vector<std::string_view> columns() const = 0;
  /// Those that a table lacks; none: it is of this kind.
  std::vector<std::string_view> missing_columns(const CsvTable&) const;

  /// Devices in the order of their first rows: by default what the column "system" holds.
  virtual std::vector<std::string> devices(const CsvTable&) const;

  /// The rows of a device, in series in the order in which they first occur; each of its rows is in a series or unanswered. Throws InputError
  /// for a cell that is not what its column holds.
  virtual std::vector<TimedSeries> read(const CsvTable&, std::string_view device, const HwProfile&, UnansweredRows&) const = 0;
  std::vector<TimedSeries> series(const CsvTable&, std::string_view device, const HwProfile&) const;

  /// Whether series help one another, so that a shape can be left out of a series that has no other.
  virtual bool learns_from_other_series() const { return false; }

  /// A model of `all[which]`, fitted to rows that are `seen`: its own, and where that helps those of the device's other series. A formula
  /// without a fit ignores them. nullptr where nothing that is seen says anything about the series.
  virtual std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const = 0;

  /// Adds the fit to all rows of a series to the curves of its device; false: this kind has none there.
  virtual bool add_curve(MeasuredCurves&, const TimedSeries&, const HwProfile&) const { return false; }
  /// Of the file of those curves: hw_profiles/measured/DEVICE, this, ".json".
  virtual std::string_view file_suffix() const { return ""; }
  /// The model that the curves of a device's machine hold of the series of these names; nullptr without one, or where they
  /// are borrowed from another device.
  virtual std::unique_ptr<KernelModel> shipped(const HwProfile&, const TimedSeries& names) const;
};

Registry<KernelTable> kernel_tables();

}  // namespace moesim
