#include "hw/spreading.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kSpreads = 12;   // standard deviations of a link's flows that are looked at

/// Chances of lowest, lowest + 1 ... flows on one link, up to what matters.
struct Chances {
  double lowest = 0;
  std::vector<double> of;
};

/// Binomial, from the mode outwards so that nothing underflows before it is small.
Chances on_one_link(double links, double flows) {
  const double p = 1 / links, mean = flows * p, reach = kSpreads * std::sqrt(mean) + 3 * kSpreads;
  Chances out;
  out.lowest = std::floor(std::max(0.0, mean - reach));
  const auto count = static_cast<std::size_t>(std::min(flows, std::ceil(mean + reach)) - out.lowest) + 1;
  out.of.assign(count, 0.0);
  const auto mode = static_cast<std::size_t>(std::min(std::floor(mean) - out.lowest, static_cast<double>(count - 1)));
  out.of[mode] = 1;
  const auto ratio = [&](std::size_t i) {   // of i + 1 flows to i
    const double k = out.lowest + static_cast<double>(i);
    return (flows - k) / (k + 1) * p / (1 - p);
  };
  for (std::size_t i = mode; i + 1 < count; ++i) out.of[i + 1] = out.of[i] * ratio(i);
  for (std::size_t i = mode; i > 0; --i) out.of[i - 1] = out.of[i] / ratio(i - 1);
  double sum = 0;
  for (const double c : out.of) sum += c;
  for (double& c : out.of) c /= sum;
  return out;
}

}  // namespace

double expected_fullest(double links, double flows) {
  links = std::floor(links), flows = std::floor(flows);
  if (links <= 1) return flows;
  const Chances c = on_one_link(links, flows);
  double most = c.lowest, at_most = 0;
  for (const double chance : c.of) {
    at_most = std::min(1.0, at_most + chance);
    most += at_most > 0 ? 1 - portable_exp(links * portable_log(at_most)) : 1;
  }
  return std::max(flows / links, most);
}

double hashed_share(double links, double flows) { return std::floor(flows) / std::max(1.0, std::floor(links)) / expected_fullest(links, flows); }

}  // namespace moesim
