// How far a model is from timings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/kernel_tables.h"

namespace moesim {

struct ErrorStats {
  std::int64_t rows = 0;
  double median = 0, mean = 0, p90 = 0;   // of |predicted / measured - 1|
  double bias = 0;                        // mean of predicted / measured - 1
};

/// `errors`: predicted / measured - 1. All zero without rows.
ErrorStats error_stats(std::span<const double> errors);

struct SeriesScore {
  std::string device, table, framework, kernel, format;
  std::string model;                          // what predicted: "curve", "curve of vllm-0.24.0 x", "closed form"
  ErrorStats used;                            // cases that the fit saw
  ErrorStats left_out;                        // cases of shapes (communication: curves) that it never saw
  std::optional<ErrorStats> left_out_sizes;   // sizes that it never saw of curves that it did; none where shapes are no curves
  ErrorStats closed_form;                     // by a formula that has seen no table: of the left-out rows, or of all where none are
  std::optional<ErrorStats> baseline;         // of the same rows: a roofline of three constants, fitted to what the fit saw; none without work
  std::vector<double> left_out_errors;        // of which left_out are the figures
  std::vector<double> left_out_sizes_errors;  // of which left_out_sizes are
  double chance = 0;                          // mean |error| that a perfect model would have, where cases leave open what exactly was timed
};

/// `all[which]` against fits to the others: each shape by a fit that never saw it, in no series of the device; where shapes are curves, every
/// other size by a fit that saw the rest.
SeriesScore score_folds(const KernelTable&, std::span<const TimedSeries> all, std::size_t which, const HwProfile&);

/// Rows from elsewhere against the curves that the machine `curves` holds, or where a kind ships none a fit to all of `shipped` (the series of the
/// device `timed`, maybe none): by the series of the same name, else by the nearest in the same format (same kernel, same library, most rows,
/// in this order), else by the closed form. Cases that are in that series count as used, all others as left out; where the machine borrows
/// the curves of another GPU, all are left out, and a kind that ships none has the closed form.
SeriesScore score_rows(const KernelTable&, std::span<const TimedSeries> shipped, const TimedSeries& rows, const std::string& timed, const HwProfile&, const HwProfile& curves);

}  // namespace moesim
