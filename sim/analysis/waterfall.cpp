#include "analysis/waterfall.h"

#include <algorithm>
#include <initializer_list>

namespace moesim {

std::vector<Bar> waterfall(const std::array<double, kTimeClasses>& time, const SecondsByType& at_peak) {
  using enum TimeClass;
  const auto sum = [&](std::initializer_list<TimeClass> classes) {
    double s = 0;
    for (const TimeClass c : classes) s += time[static_cast<std::size_t>(c)];
    return s;
  };
  double below = sum({gemm, grouped_gemm, attention});
  std::vector<Bar> out;
  for (std::size_t t = 0; t < kDTypes; ++t) {
    out.push_back({std::string(moesim::name(static_cast<DType>(t))) + " matrix work at peak", at_peak[t]});
    below -= at_peak[t];
  }
  const std::vector<Bar> rest{
      {"matrix kernels below peak", std::max(0.0, below)},   // rounding of the sums
      {"memory-bound kernels", sum({memory_bound, router, cast, embedding, cross_entropy})},
      {"token permutation", sum({permute})},
      {"recomputation", sum({recompute})},
      {"SMs held by transfers", sum({sm_theft})},
      {"memory used by transfers", sum({memory_sharing})},
      {"launch stalls", sum({launch_stall})},
      {"exposed TP communication", sum({tp_transfer, etp_transfer})},
      {"exposed CP communication", sum({cp_transfer})},
      {"exposed dispatch and combine", sum({ep_transfer})},
      {"waiting for slower ranks", sum({tp_wait, ep_wait, etp_wait, cp_wait, dp_wait, end_wait})},
      {"exposed pipeline transfers", sum({pp_transfer})},
      {"pipeline bubble", sum({bubble})},
      {"exposed gradient and parameter exchange", sum({dp_transfer})},
      {"optimizer", sum({optimizer})},
      {"unattributed", sum({unattributed})},
  };
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace moesim
