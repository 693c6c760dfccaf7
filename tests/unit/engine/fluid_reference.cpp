#include "unit/engine/fluid_reference.h"

#include <algorithm>

namespace moesim::test {
namespace {

double load(const FluidProblem& p, const std::vector<double>& rate, std::size_t port) {
  double sum = 0;
  for (std::size_t f = 0; f < p.flows.size(); ++f) sum += rate[f] * p.flows[f].weight[port];
  return sum;
}

}  // namespace

std::vector<double> brute_force_rates(const FluidProblem& p, double hair) {
  std::vector<double> rate(p.flows.size(), 0);
  std::vector<bool> frozen(p.flows.size(), false);
  while (std::count(frozen.begin(), frozen.end(), false) > 0) {
    for (std::size_t f = 0; f < rate.size(); ++f)
      if (!frozen[f] && (rate[f] += hair) >= p.flows[f].full) {
        rate[f] = p.flows[f].full;
        frozen[f] = true;
      }
    for (std::size_t port = 0; port < p.capacity.size(); ++port) {
      if (load(p, rate, port) < p.capacity[port]) continue;
      for (std::size_t f = 0; f < rate.size(); ++f)
        if (p.flows[f].weight[port] > 0) frozen[f] = true;
    }
  }
  return rate;
}

bool is_max_min_fair(const FluidProblem& p, const std::vector<double>& rate, double tolerance) {
  std::vector<bool> full(p.capacity.size());
  for (std::size_t port = 0; port < full.size(); ++port) {
    const double sum = load(p, rate, port);
    if (sum > p.capacity[port] * (1 + tolerance)) return false;
    full[port] = sum >= p.capacity[port] * (1 - tolerance);
  }
  for (std::size_t f = 0; f < rate.size(); ++f) {
    if (rate[f] > p.flows[f].full * (1 + tolerance)) return false;
    bool held = rate[f] >= p.flows[f].full * (1 - tolerance);
    for (std::size_t port = 0; port < full.size() && !held; ++port) {
      if (!full[port] || p.flows[f].weight[port] == 0) continue;
      held = true;
      for (std::size_t o = 0; o < rate.size(); ++o) held = held && (p.flows[o].weight[port] == 0 || rate[o] <= rate[f] * (1 + tolerance));
    }
    if (!held) return false;
  }
  return true;
}

}  // namespace moesim::test
