// Timed multiplications, carried over to a machine and its clocks.
#pragma once

#include <vector>

#include "cost/cost.h"
#include "cost/gemm_grid.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

/// Every timed point is multiplied by what the closed form takes on `here` over what it takes on the device of the timings at burst clocks;
/// beyond the timed sizes the closed form goes on. Then times are made to rise with n and k at each m, and between points they are linear:
/// so time rises with n and k everywhere, but may fall with m, as the kernels do whose tiles fit one m better than another. Below the timed
/// sizes it is that of the smallest.
class GemmCurve {
 public:
  /// For ops like `op`: its format and pass; `own`: timed on this device. `here` and `there` have a rate in the format.
  GemmCurve(const MeasuredGemm&, const KernelNumbers& there, const KernelNumbers& here, const Op& op, bool own);
  KernelSeconds at(GemmShape) const;

 private:
  Provenance provenance(GemmShape) const;

  GemmGrid grid_;
  GemmShape smallest_, largest_;           // timed
  std::vector<bool> timed_;                // of each timed size, as MeasuredGemm has them
  std::vector<std::int64_t> m_, n_, k_;
  bool own_;
};

}  // namespace moesim
