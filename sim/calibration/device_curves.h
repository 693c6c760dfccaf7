// Tables of timed kernels -> the curves of one device, as hw_profiles/measured holds them.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "hw/measured.h"
#include "hw/profile.h"

namespace moesim {

/// Which series `CostModel` uses, first the best: `gemm` and `forms` have the uses of MeasuredCurves, a series is "KERNEL, FORMAT" as tables
/// name them ("torch_flow, fp8"; "vllm_flash_attn_fa3, bfloat16, kv bfloat16"). validate/kernels/curves.json.
struct CurveChoice {
  std::map<std::string, std::vector<std::string>> gemm, forms;
  static CurveChoice load(const std::filesystem::path&);
};

/// Fits to all rows of each series of `device` of the kinds that ship in the file of this suffix (KernelTable::file_suffix), over the closed form of
/// `hw` at burst clocks.
MeasuredCurves fit_curves(std::span<const CsvTable>, const CurveChoice&, const std::string& device, const HwProfile& hw, std::string_view suffix = "");

/// The source and licence that the remarks of a table name, unless they are there.
void add_source(MeasuredCurves&, const CsvTable&);

/// The file: JSON with one line an array. Reading it again gives the same curves.
std::string to_text(const MeasuredCurves&);

}  // namespace moesim
