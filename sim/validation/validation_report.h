// Predicted against published, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/published_row.h"

namespace moesim {

/// Every row is compared as a step time; a published rate is turned into one first, so that + always means "predicted too slow".
/// Peak memory of a GPU in bytes: what the fullest stage must hold against what the run used.
struct MemoryComparison {
  double predicted = 0, measured = 0;
  double error = 0;                                 // predicted / measured - 1
  PublishedMemory published;
};

struct ValidationRow {
  std::string id, metric = "step_time_s", unit = "s", group;
  std::string model;
  std::int64_t tier = 1, gpus = 0;
  bool moe = false;
  double predicted = 0, measured = 0;
  double error = 0;                                 // predicted / measured - 1
  double interval_low = 0, interval_high = 0;       // where moesim expects the measured time
  bool fits = true;                                 // whether moesim says that the run fits in memory (it ran)
  std::optional<MemoryComparison> memory;           // where the source gives the peak
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
  std::vector<GroupSummary> summary;                // of step times, one a group, in the order of the rows
  std::vector<GroupSummary> memory;                 // of peak memory, one a model that has rows with it
  std::vector<LeftOutRow> left_out;
};

std::vector<GroupSummary> summarise(const std::vector<ValidationRow>&);
/// By model, over the rows whose peak memory is known.
std::vector<GroupSummary> summarise_memory(const std::vector<ValidationRow>&);

}  // namespace moesim
