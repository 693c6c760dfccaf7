// What fits and tables share: logarithms of sizes, and names of number formats.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "base/maths.h"

namespace moesim {

inline double log2_of(double x) { return portable_log2(x); }

struct FormatName {
  std::string_view name;    // in the shipped tables
  DType type;
  std::array<std::string_view, 4> others;   // that frameworks have for it
};
inline constexpr std::array kFormatNames{FormatName{"bfloat16", DType::bf16, {"bf16", "torch.bfloat16", "", ""}},
                                         FormatName{"fp8", DType::fp8, {"fp8_e4m3", "float8_e4m3fn", "float8_e4m3", "e4m3"}},
                                         FormatName{"fp8_block", DType::fp8, {"fp8_blockwise", "block_fp8", "", ""}}, FormatName{"nvfp4", DType::fp4, {"fp4", "fp4_e2m1", "", ""}}};

/// What the shipped tables call a format: "bf16" is "bfloat16". A name that they do not have stays.
inline std::string format_name(std::string_view format) {
  for (const FormatName& f : kFormatNames)
    if (!format.empty() && std::find(f.others.begin(), f.others.end(), format) != f.others.end()) return std::string(f.name);
  return std::string(format);
}

/// The format that a table calls so; none for formats that no kernel of moesim has (int8 and int4 weights, float16).
inline std::optional<DType> dtype_of(std::string_view format) {
  for (const FormatName& f : kFormatNames)
    if (f.name == format_name(format)) return f.type;
  return std::nullopt;
}

}  // namespace moesim
