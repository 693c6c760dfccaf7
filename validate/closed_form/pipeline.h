// Pipeline schedules on paper: equal stages, free communication. Oracles for tests; includes nothing of sim/.
#pragma once

#include <cstdint>

namespace closed_form {

/// Idle time over useful time: (P - 1) / (V * M). V = 1 is plain 1F1B. (Narayanan et al. 2021, arXiv 2104.04473, section 2.2.)
inline double pipeline_bubble(std::int64_t pp, std::int64_t vpp, std::int64_t num_micro_batches) {
  return static_cast<double>(pp - 1) / static_cast<double>(vpp * num_micro_batches);
}

/// Time of a step whose stages need `forward` and `backward` for one micro-batch through all their chunks.
inline double pipeline_step(std::int64_t pp, std::int64_t vpp, std::int64_t num_micro_batches, double forward, double backward) {
  const double useful = static_cast<double>(num_micro_batches) * (forward + backward);
  return useful * (1 + pipeline_bubble(pp, vpp, num_micro_batches));
}

/// Chunk activations alive at once on stage r: 1F1B P - r; interleaved 2 (P - r - 1) + (V - 1) P + 1; never more than V * M.
inline std::int64_t peak_in_flight(std::int64_t pp, std::int64_t vpp, std::int64_t num_micro_batches, std::int64_t stage) {
  const std::int64_t live = vpp == 1 ? pp - stage : 2 * (pp - stage - 1) + (vpp - 1) * pp + 1;
  return live < vpp * num_micro_batches ? live : vpp * num_micro_batches;
}

}  // namespace closed_form
