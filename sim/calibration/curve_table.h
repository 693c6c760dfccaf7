// Tables of communication: curves over sizes, fitted together (`curve_model.h`).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibration/curve_model.h"
#include "calibration/kernel_tables.h"
#include "collective/collective.h"

namespace moesim {

class CurveTable : public KernelTable {
 public:
  /// A row of a series as the model sees it.
  virtual CurvePoint point(const TimedSeries&, const TimedRow&) const = 0;
  /// As `Likeness`; series of kinds with 0 are fitted apart.
  virtual double likeness(std::string_view kind, std::string_view other) const = 0;

  /// Curves that a profile may name: numbers of GPUs, and sizes as powers of two.
  struct Shipped {
    std::vector<std::int64_t> gpus;               // the last one: where the formula stands alone
    std::int64_t most_gpus = 0;                   // that the fit knows of
    int first_octave = 9, last_octave = 34;
    bool over_nodes = false, knows_gpus = true;   // knows_gpus: its form says how times change with GPUs
    bool picks = false;                           // NCCL's own model says what runs
    /// Of one node: those in its domain.
    std::vector<std::int64_t> gpus_of(const HwProfile& hw) const;
  };
  virtual std::optional<Shipped> ships() const { return std::nullopt; }
  /// Folder under those of the other curves; "" = with them.
  virtual std::string_view folder() const { return ""; }
  struct Operation {
    std::string name;             // in the file
    CollectiveOp op{};            // what it does
    std::size_t series = 0;       // of the device, that says something of it
    bool own = true;              // of this operation; or another speaks for it
  };
  /// In the order of the file: by name.
  virtual std::vector<Operation> operations(std::span<const TimedSeries> all, std::string_view device) const;
  /// The device's series that says something of an operation; nothing where none does.
  virtual std::optional<std::size_t> series_of(CollectiveOp, std::span<const TimedSeries>, std::string_view) const { return std::nullopt; }
  /// A row to ask the model of that series for.
  virtual TimedRow asked(CollectiveOp, std::int64_t, double, std::string_view, const HwProfile&) const { return {}; }
  virtual std::int64_t gpus(const TimedRow&) const { return 0; }

  std::unique_ptr<KernelModel> shipped(const HwProfile&, const TimedSeries& names) const final;
  bool learns_from_other_series() const final { return true; }
  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile&, const Seen& seen) const final;
};

}  // namespace moesim
