// Number formats that change bytes or FLOP rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace moesim {

enum class DType : std::uint8_t { fp32, bf16, fp8, fp4 };
constexpr std::size_t kDTypes = 4;

constexpr std::int64_t bits(DType t) {
  switch (t) {
    case DType::fp32: return 32;
    case DType::bf16: return 16;
    case DType::fp8: return 8;
    case DType::fp4: return 4;
  }
  return 0;
}

constexpr std::string_view name(DType t) {
  switch (t) {
    case DType::fp32: return "fp32";
    case DType::bf16: return "bf16";
    case DType::fp8: return "fp8";
    case DType::fp4: return "fp4";
  }
  return "";
}

}  // namespace moesim
