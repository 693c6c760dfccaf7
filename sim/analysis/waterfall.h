// From the peak of the machine to the step: bars that are never negative and add up to the step time exactly, so that each says what
// closing it would win. The first ones are the FLOPs that matrix kernels executed, each format at its own peak: not the model FLOPs of the
// MFU, which count dropped tokens as well, padding not, and all at the bf16 peak.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/time_class.h"
#include "base/dtype.h"

namespace moesim {

struct Bar {
  std::string name;
  double seconds = 0;      // of the mean rank's step
};

using SecondsByType = std::array<double, kDTypes>;

/// `at_peak_s`: of the time of matrix kernels, what their FLOPs take at the peak of their format; at most that time in all.
std::vector<Bar> waterfall(const std::array<double, kTimeClasses>& time_by_class_s, const SecondsByType& at_peak_s);

}  // namespace moesim
