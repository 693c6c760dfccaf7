// Everything that a training report shows as a figure, as text: two runs with one fingerprint look the same to a reader.
#pragma once

#include <sstream>
#include <string>

#include "analysis/train_report.h"

namespace moesim::test {

inline std::string fingerprint(const TrainScenario& s, Detail detail = Detail::fold) {
  const TrainReport r = train(s, {detail, 1, {}});
  std::ostringstream out;
  out.precision(17);
  out << r.step_time_s << " " << r.tokens_per_s << " " << r.mfu << " " << r.hfu << " " << r.memory.capacity.count();
  for (const double t : r.time_by_class_s) out << " " << t;
  for (const Bar& b : r.waterfall) out << " " << b.seconds;
  for (const StageMemory& m : r.memory.stages) out << " " << m.total().count() << " " << m.activations.count() << " " << m.gradients.count();
  if (r.moe) out << " " << r.moe->drop_rate << " " << r.moe->rank_max_over_mean << " " << r.moe->max_vio << " " << r.moe->gini;
  if (r.dollars_per_step) out << " " << *r.dollars_per_step;
  return out.str();
}

}  // namespace moesim::test
