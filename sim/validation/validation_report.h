// Predicted against published, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/published_row.h"

namespace moesim {

/// Every row is compared as a step time; a published rate is turned into one first, so that + always means "predicted too slow".
struct ValidationRow {
  std::string id, metric = "step_time_s", unit = "s", group;
  std::int64_t tier = 1, gpus = 0;
  bool moe = false;
  double predicted = 0, measured = 0;
  double error = 0;                                 // predicted / measured - 1
  double interval_low = 0, interval_high = 0;       // where moesim expects the measured time
  bool fits = true;                                 // whether moesim says that the run fits in memory (it ran)
  PublishedFigure published;
  std::vector<std::string> settled, lacks;
};

struct GroupSummary {
  std::string group;
  std::int64_t rows = 0;
  double mape = 0, median = 0;                      // of |error|
  double bias = 0;                                  // mean error
  double worst = 0;                                 // the error that is largest in size
  std::string worst_id;
};

struct ValidationReport {
  std::vector<ValidationRow> rows;                  // by group, then by id
  std::vector<GroupSummary> summary;                // one a group, in the order of the rows
  std::vector<LeftOutRow> left_out;
};

std::vector<GroupSummary> summarise(const std::vector<ValidationRow>&);

/// The q-quantile of `values`, linear between neighbours. `values` must not be empty.
double quantile(std::vector<double> values, double q);

}  // namespace moesim
