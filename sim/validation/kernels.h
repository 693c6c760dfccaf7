// Kernel timings against the model: every table of a folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/cliffs.h"
#include "calibration/scores.h"

namespace moesim {

/// All series of a kind of table on a device: of each figure every row that any of them has.
struct DeviceScore {
  std::string table, device;
  std::int64_t series = 0;
  ErrorStats left_out, left_out_sizes;
  double closed_form = 0;           // mean error
  std::optional<double> baseline;   // mean error of the roofline on the same rows; none where a series has none
};

struct KernelReport {
  std::vector<SeriesScore> scores;                              // by kind of table and device, in the order of files and rows
  std::vector<SeriesCliffs> cliffs;                             // of GEMM series
  std::vector<std::pair<std::string, std::string>> skipped;     // file (and device) and why
};

/// In the order of the scores.
std::vector<DeviceScore> device_scores(const KernelReport&);

/// Kinds of tables, for messages and help: "gemm", "attention", ...
std::vector<std::string> kernel_table_names();

/// What to score; "" is everything.
struct KernelChoice {
  std::filesystem::path own;     // a folder of tables to score by the shipped ones; "": the shipped ones, by folds
  std::string device, table;
};

/// Reads NAME.csv and NAME.csv.xz in the order of their names. Shipped tables are those of `data`/validate/kernels/tables. A device is the
/// machine that `data`/validate/kernels/devices.json names for it, or a machine of `data`/hw_profiles itself. Throws InputError: no such folder
/// or no table in it, a broken table, a device or a kind of table that nothing has.
KernelReport validate_kernels(const std::filesystem::path& data, const KernelChoice& = {});

enum class CliffDetail : bool { summary, all };
std::string to_text(const KernelReport&, CliffDetail = CliffDetail::summary);
std::string to_json(const KernelReport&);
/// A header line, one line a series, and one a reason why rows or files were skipped: `table` is "skipped", `device` where, `model` why.
std::string to_csv(const KernelReport&);

}  // namespace moesim
