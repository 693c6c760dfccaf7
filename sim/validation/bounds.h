// What `moesim validate --check` holds a group to. validate/published/bounds.json:
//
//   { "dense Hopper": { "rows": 20, "history": [ { "date": "2026-11-30", "mape": 12, "worst": 25 } ] } }
//
// `rows` is the least number of rows; `mape` and `worst` are percent. The last entry of the history is in force, and each entry must be at
// least as tight as the one before it: bounds only tighten, unless an entry says "because" of what, such as work that the model had left
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validation/validation_report.h"

namespace moesim {

struct ErrorBound {
  std::int64_t rows = 0;
  double mape = 0, worst = 0;                       // fractions
};

/// By group. Throws InputError, also for a bound looser than an earlier one without a reason.
std::map<std::string, ErrorBound> read_bounds(const std::filesystem::path& file);

/// What a run over every row is held to: step times by group, and peak memory by model as "peak memory of MODEL".
std::vector<GroupSummary> bounded_summaries(const ValidationReport&);

/// One line for each bound that the summary misses; a group without a bound is a miss. Bounds of groups that `summary` lacks are misses
/// only if `all_groups`.
std::vector<std::string> missed_bounds(const std::vector<GroupSummary>& summary, const std::map<std::string, ErrorBound>&, bool all_groups);

}  // namespace moesim
