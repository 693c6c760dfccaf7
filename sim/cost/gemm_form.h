// The time of one library's multiplication on one device in one format: constants that timings give (calibration/gemm_fit.h).
#pragma once

#include <array>
#include <cstdint>

#include "cost/gemm_grid.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

/// Multiples of the closed form's, all > 0.
enum class GemmConstant : std::uint8_t {
  fixed,     // time of a kernel
  compute,   // rate
  memory,    // bandwidth
  half,      // reduction length, and half the width, at which the rate is half
};
constexpr std::size_t kGemmConstants = 4;
using GemmConstants = std::array<double, kGemmConstants>;
constexpr GemmConstants kClosedFormGemm{1, 1, 1, 1};

/// seconds = fixed + (arithmetic^4 + memory^4)^(1/4), arithmetic = FLOPs (1 + half / k + half / 2n) / rate; weight gradients accumulate in fp32
/// as the closed form has it. Rises with m, n and k.
class GemmForm {
 public:
  /// Throws InputError without a rate in the format.
  GemmForm(const KernelNumbers&, DType, const GemmConstants&, Pass = Pass::forward);
  double seconds(GemmShape) const;
  struct Slopes {
    double seconds = 0;
    GemmConstants slope{};   // d log(seconds) / d log(constant)
  };
  Slopes slopes(GemmShape) const;

 private:
  struct Parts;
  Parts parts(GemmShape) const;

  GemmConstants at_;          // in s, FLOP / s, bytes / s, elements
  double in_, out_;           // bytes of an element of an operand and of the result
  double accumulation_ = 0;   // s an element of the result
};

}  // namespace moesim
