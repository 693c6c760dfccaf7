#include "analysis/sample_times.h"

#include <exception>

namespace moesim {

std::vector<double> sample_step_times(const TrainScenario& s, Detail detail, std::int64_t first, std::int64_t count) {
  std::vector<double> times(static_cast<std::size_t>(count));
  std::vector<std::exception_ptr> failed(times.size());   // an exception must not leave the parallel region
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
  for (std::int64_t n = 0; n < count; ++n) {
    try {
      times[static_cast<std::size_t>(n)] = seconds(TrainStep(s, detail, first + n).run().end);
    } catch (...) { failed[static_cast<std::size_t>(n)] = std::current_exception(); }
  }
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
  return times;
}

}  // namespace moesim
