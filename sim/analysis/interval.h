// How far predictions were from published measurements, and what that says about a new one.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace moesim {

struct ErrorSpread {
  std::int64_t rows = 0;             // published rows it is taken from
  double p10 = 0, p90 = 0;           // percentiles of predicted / measured - 1, to three decimals
  std::int64_t inside = 0;           // rows whose error lies between them
};

/// The rows of `moesim validate published` of the same kind of model.
const ErrorSpread& published_error_spread(bool moe);

/// Whether any of those rows ran on this machine.
bool published_on(std::string_view machine, bool moe);

/// The rows whose source prints the peak memory of a GPU, of any kind of model: they are few.
const ErrorSpread& published_peak_spread();
std::int64_t published_peak_models();      // of how many models
bool published_peak_on(std::string_view machine);

/// Where a measurement would lie if its error were between the 10th and the 90th percentile: measured = predicted / (1 + error).
std::pair<double, double> likely_interval(double predicted, const ErrorSpread&);

}  // namespace moesim
