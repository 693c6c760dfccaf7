// Timed multiplications, carried over to a machine and its clocks.
#pragma once

#include <vector>

#include "cost/cost.h"
#include "cost/gemm_form.h"
#include "cost/gemm_grid.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

/// Whether the quantisation of x, which timings of less than 16 bits hold, counts. It depends on m and k only: what the narrowest timed
/// multiplication takes beyond the closed form is taken off all of them, so that what is left is never less than its bytes take.
enum class Quantisation : bool { left, counted };

/// Every timed point is multiplied by what the form takes on `here` over what it takes on the device of the timings at burst clocks. Then times
/// are made to rise with n and k at each m, and between points they are linear: so time rises with n and k everywhere, but may fall with m,
/// as the kernels do whose tiles fit one m better than another. Rows of a weight gradient are columns of weights, whole tiles: it rises with
/// them too. Beyond the timed sizes the form goes on; below them it is that of the smallest.
class GemmCurve {
 public:
  /// For ops like `op`: its format and pass; `own`: timed on this device. `here` and `there` have a rate in the format.
  GemmCurve(const MeasuredGemm&, const KernelNumbers& there, const KernelNumbers& here, const Op& op, bool own, Quantisation = Quantisation::left);
  KernelSeconds at(GemmShape) const;

 private:
  Provenance provenance(GemmShape) const;

  GemmGrid grid_;
  std::vector<bool> timed_;                // of each timed size, as MeasuredGemm has them
  std::vector<std::int64_t> m_, n_, k_;    // timed
  bool own_;
};

}  // namespace moesim
