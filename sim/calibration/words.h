// What fits and tables share: logarithms of sizes, and names of number formats.
#pragma once

#include <optional>
#include <string_view>

#include "base/dtype.h"
#include "base/maths.h"

namespace moesim {

inline double log2_of(double x) { return portable_log2(x); }

/// The format that a table calls so; none for formats that no kernel of moesim has (int8 and int4 weights).
inline std::optional<DType> dtype_of(std::string_view format) {
  if (format == "bfloat16") return DType::bf16;
  if (format == "fp8" || format == "fp8_block") return DType::fp8;
  if (format == "nvfp4") return DType::fp4;
  return std::nullopt;
}

}  // namespace moesim
