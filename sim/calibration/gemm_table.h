// Tables of GEMM timings: columns system, framework, kernel, dtype, m, n, k, latency_us.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "base/dtype.h"
#include "calibration/gemm_fit.h"
#include "calibration/scores.h"
#include "hw/profile.h"

namespace moesim {

struct GemmSeries {
  std::string device, kernel, format;   // as the table names them
  DType dtype{};
  std::vector<GemmTiming> timings;
};

/// Its series, in the order in which they first occur; formats that no GEMM of moesim has (int8 and int4 weights) are left out.
std::vector<GemmSeries> gemm_series(const CsvTable&);

/// The machine's closed form at burst clocks.
GemmForm gemm_form(const HwProfile&, DType);

SeriesScore score(const GemmSeries&, const GemmForm&);

}  // namespace moesim
