// How far a model is from timings, in three ways.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace moesim {

struct ErrorStats {
  std::int64_t rows = 0;
  double median = 0, mean = 0, p90 = 0;   // of |predicted / measured - 1|
  double bias = 0;                        // mean of predicted / measured - 1
};

/// `errors`: predicted / measured - 1. All zero without rows.
ErrorStats error_stats(std::span<const double> errors);

/// One kernel of one library on one device in one number format.
struct SeriesScore {
  std::string device, table, kernel, format;
  ErrorStats used;        // rows that the fit saw
  ErrorStats left_out;    // each shape predicted by a fit that never saw it
  ErrorStats roofline;    // the closed form without any table
};

}  // namespace moesim
