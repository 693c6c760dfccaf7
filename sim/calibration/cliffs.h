// Where a measured GEMM falls while m grows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibration/timed_series.h"

namespace moesim {

/// Between two neighbouring m of one n and k the time, or (up to twice the rows) the throughput m / time, falls by more than 3 %.
struct Cliff {
  std::string shape;              // "n 4096, k 7168"
  std::int64_t from = 0, to = 0;  // m
  double time = 1;                // at `to` over that at `from`
  double throughput = 1;          // the same of m / time
  bool time_falls() const;        // more rows are faster
};

struct SeriesCliffs {
  std::string device, framework, kernel, format;
  std::int64_t shapes = 0;
  std::vector<Cliff> cliffs;      // by shape, then m
};

/// Of a series of the kind "gemm", whose `at` is m, n, k.
SeriesCliffs gemm_cliffs(const TimedSeries&);

/// Falls of throughput at one step of m.
struct CliffStep {
  std::int64_t from = 0, to = 0;
  std::int64_t shapes = 0;         // that fall there
  double median = 1, worst = 1;    // of Cliff::time over them
  double weight = 0;               // how much throughput is lost: sum of -log(Cliff::throughput)
};

/// The heaviest first.
std::vector<CliffStep> cliff_steps(const SeriesCliffs&);

}  // namespace moesim
