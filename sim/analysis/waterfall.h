// From the peak of the machine to the step: bars that add up to the step time exactly, so that each says what closing it would win.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/time_class.h"

namespace moesim {

struct Bar {
  std::string name;
  double seconds = 0;      // of the mean rank's step
};

/// `ideal_s`: the model's FLOPs at the machine's peak, on all GPUs.
std::vector<Bar> waterfall(const std::array<double, kTimeClasses>& time_by_class_s, double ideal_s);

}  // namespace moesim
