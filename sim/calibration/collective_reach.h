// Times of collectives beyond those that were timed: NCCL's formula, times what it was off by at the nearest size that was timed, less and less of it with distance.
//
// Beyond the largest number of GPUs times hand over to the formula evenly in logarithms up to the largest number that is shipped, so that they do not jump where
// curves end: from the curve's own form where it knows GPUs (EFA: 5 to 7 on whole curves left out, 13 by the formula alone, 9 by its error kept), else from the formula
// with its error at equal bytes a GPU (one node, one to two octaves up: 10 by the formula, 13 with the error kept, 8 with half of it; the form there misses the
// all-to-alls of 16 to 64 GB200 of Megatron's report by up to 20, this by 16). Judged by leaving out ends of measured curves (mean errors in %; formula alone / its error kept / fading over four octaves):
// the smallest sizes of EFA curves, 1 to 4 octaves 15 / 8 / 8, 16 / 13 / 12, 17 / 16 / 15, 18 / 18 / 17, of one-node curves 13 / 6 / 6, 14 / 10 / 10, 14 / 12 / 12,
// 14 / 15 / 13; largest sizes alike, where keeping it is worse than the formula from 4 octaves on (EFA 11 / 22 / 10).
#pragma once

#include <functional>

#include "collective/collective.h"

namespace moesim {

struct TimedRange {
  double first = 0, last = 0;             // sizes
  std::int64_t most_gpus = 0, end = 0;    // largest number that the fit knows; where the formula stands alone
  bool knows_gpus = true;                 // the fit's form says how times change with GPUs
};

class CollectiveReach {
 public:
  using Seconds = std::function<double(std::int64_t gpus, double bytes)>;
  /// The machine goes by the formula.
  CollectiveReach(Seconds fitted, CollectiveOp, const HwProfile&, const TimedRange&);

  /// At `sizes`, ascending; never falls.
  std::vector<double> curve(std::int64_t gpus, const std::vector<double>& sizes) const;

 private:
  double formula(std::int64_t gpus, double bytes) const;
  double near(std::int64_t gpus, double bytes) const;
  double seconds(std::int64_t gpus, double bytes) const;

  Seconds fitted_;
  CollectiveOp op_;
  HwProfile hw_;
  TimedRange timed_;
};

}  // namespace moesim
