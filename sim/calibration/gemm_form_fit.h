// Timed GEMMs -> a closed form with constants of their own, for the sizes between and beyond them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "calibration/gemm_fit.h"

namespace moesim {

/// Constants of one library's kernel on one device in one format, all > 0.
enum class GemmConstant : std::uint8_t {
  fixed,     // s
  compute,   // share of peak
  memory,    // share of peak bandwidth
  half,      // reduction length, and half the width, at which the rate is half
};
constexpr std::size_t kGemmConstants = 4;
using GemmConstants = std::array<double, kGemmConstants>;

/// seconds = fixed + (arithmetic^4 + memory^4)^(1/4), arithmetic = FLOPs (1 + half / k + half / 2n) / rate.
class FittedGemmForm {
 public:
  /// Throws InputError if the machine has no peak in this format.
  FittedGemmForm(const HwProfile&, DType, const GemmConstants&);
  struct Slopes {
    double seconds = 0;
    GemmConstants slope{};   // d log(seconds) / d log(constant)
  };
  Slopes slopes(GemmShape) const;

 private:
  GemmConstants constants_;
  DType type_;
  double bandwidth_, peak_;
};

/// Fitted to a few hundred timings spread over the given ones. Throws InputError without timings.
GemmForm fit_gemm_form(const HwProfile&, DType, std::span<const GemmTiming>);

}  // namespace moesim
