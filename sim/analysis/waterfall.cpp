#include "analysis/waterfall.h"

#include <initializer_list>

namespace moesim {

std::vector<Bar> waterfall(const std::array<double, kTimeClasses>& time, double ideal_s) {
  using enum TimeClass;
  const auto sum = [&](std::initializer_list<TimeClass> classes) {
    double s = 0;
    for (const TimeClass c : classes) s += time[static_cast<std::size_t>(c)];
    return s;
  };
  return {
      {"model FLOPs at peak", ideal_s},
      {"matrix kernels below peak", sum({gemm, grouped_gemm, attention}) - ideal_s},
      {"memory-bound kernels", sum({memory_bound, router, cast, embedding, cross_entropy})},
      {"token permutation", sum({permute})},
      {"recomputation", sum({recompute})},
      {"launch stalls", sum({launch_stall})},
      {"exposed TP communication", sum({tp_transfer, etp_transfer})},
      {"exposed CP communication", sum({cp_transfer})},
      {"exposed dispatch and combine", sum({ep_transfer})},
      {"waiting for slower ranks", sum({tp_wait, ep_wait, etp_wait, cp_wait, end_wait})},
      {"exposed pipeline transfers", sum({pp_transfer})},
      {"pipeline bubble", sum({bubble})},
      {"exposed gradient and parameter exchange", sum({dp_transfer, dp_wait})},
      {"optimizer", sum({optimizer})},
      {"unattributed", sum({unattributed})},
  };
}

}  // namespace moesim
