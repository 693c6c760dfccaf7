// Kernels that scale and cast a matrix to a narrower format: bound by memory.
#pragma once

#include <cstdint>

#include "cost/cost.h"
#include "cost/residual_surface.h"
#include "hw/measured.h"

namespace moesim {

struct QuantizeCase {
  std::int64_t rows = 1, columns = 1;
};

/// The closed form of a memory-bound kernel over the bytes that the constant of the timings says each element moves, times a surface of ratios.
class QuantizeCurve {
 public:
  static constexpr std::size_t kSizes = 2;   // of a case in MeasuredForm: rows, columns
  /// `own`: timed on this device.
  QuantizeCurve(const MeasuredForm&, const KernelNumbers& here, bool own);
  /// Interpolated within a factor of two of a timed size, else extrapolated.
  KernelSeconds at(const QuantizeCase&) const;

 private:
  KernelNumbers here_;
  double element_bytes_;
  ResidualSurface ratios_;
  bool own_;
};

/// Seconds by the closed form alone.
double quantize_seconds(const KernelNumbers&, double element_bytes, const QuantizeCase&);

}  // namespace moesim
