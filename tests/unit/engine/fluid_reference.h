// Max-min fair sharing by brute force: raise all rates by a hair until a port is full, freeze who uses it, go on. And the definition that
// any solver has to meet. Floating point, no cleverness.
#pragma once

#include <vector>

namespace moesim::test {

struct FluidProblem {
  struct Flow {
    double full = 0;                 // rate on its heaviest load when alone
    std::vector<double> weight;      // of each port: load there over the heaviest
  };
  std::vector<Flow> flows;
  std::vector<double> capacity;      // of each port
};

/// Rate of each flow on its heaviest load, within a few `hair`s.
std::vector<double> brute_force_rates(const FluidProblem&, double hair);

/// Whether no port is over its capacity, and each flow is at its full rate or is on a full port where nobody is faster.
bool is_max_min_fair(const FluidProblem&, const std::vector<double>& rate, double tolerance);

}  // namespace moesim::test
