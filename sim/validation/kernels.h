// Kernel timings against the model: every table of a folder, with whole shapes left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/scores.h"

namespace moesim {

struct KernelReport {
  std::vector<SeriesScore> scores;                              // by file, device and first row
  std::vector<std::pair<std::string, std::string>> skipped;     // file (and device) and why
};

/// Kinds of tables, for messages and help: "gemm", "attention", ...
std::vector<std::string> kernel_table_names();

/// Scores NAME.csv and NAME.csv.xz of `tables`, in the order of their names. `device` and `table` choose, "" is all. Devices stand for
/// machines as `data`/validate/kernels/devices.json says. Throws InputError: no such folder or no table in it, a broken table, a device
/// or a kind of table that nothing has.
KernelReport validate_kernels(const std::filesystem::path& data, const std::filesystem::path& tables, const std::string& device, const std::string& table);

std::string to_text(const KernelReport&);
std::string to_json(const KernelReport&);
/// A header line and one line a series.
std::string to_csv(const KernelReport&);

}  // namespace moesim
