// Figures for people: how fast the two are, and how they differ with latency on.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "peer/flows.h"

namespace {

using namespace moesim::peer;

/// Largest and mean |ours / theirs - 1| of the time that a flow takes.
struct Difference {
  double mean = 0, worst = 0;
};

Difference difference(const Network& n, const Ends& ours, const Ends& theirs) {
  Difference d;
  for (std::size_t i = 0; i < n.flows.size(); ++i) {
    const double start = static_cast<double>(n.flows[i].start_us) * 1e-6;
    const double e = std::abs((ours.seconds[i] - start) / (theirs.seconds[i] - start) - 1);
    d.mean += e / static_cast<double>(n.flows.size());
    d.worst = std::max(d.worst, e);
  }
  return d;
}

void speed() {
  std::printf("  flows  links   SimGrid    moesim   ratio   worst difference\n");
  for (const std::uint32_t flows : {100u, 300u, 1000u, 3000u, 10000u}) {
    const std::uint32_t hosts = std::max(16u, flows / 8);
    const Network n = random_network(flows, {hosts / 4, hosts / 4, hosts, std::min(flows, 2000u), flows, 0, false, true});
    const Ends theirs = by_simgrid(n), ours = by_engine(n);
    std::printf("%7u  %5zu  %7.3f s  %7.3f s  %5.1fx   %.1e\n", flows, n.capacity.size(), theirs.cpu_seconds, ours.cpu_seconds,
                theirs.cpu_seconds / std::max(1e-6, ours.cpu_seconds), difference(n, ours, theirs).worst);
    std::fflush(stdout);
  }
}

void latency() {
  std::printf("             on each link             once on a route          once, lazy updates\n"
              "latency      mean        worst        mean        worst        mean        worst\n");
  for (const std::int64_t ns : {0, 1, 1000, 10'000, 100'000, 1'000'000}) {
    std::printf("%8.3f us", static_cast<double>(ns) * 1e-3);
    for (const int column : {0, 1, 2}) {
      const bool once = column > 0, lazy = column == 2;
      Difference sum;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Network n = random_network(seed, {8, 6, 16, 40, 80, ns, once, true});
        const Difference d = difference(n, by_engine(n), by_simgrid(n, lazy));
        sum.mean += d.mean / 10;
        sum.worst = std::max(sum.worst, d.worst);
      }
      std::printf("  %8.4f %%  %8.4f %%", 100 * sum.mean, 100 * sum.worst);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  if (std::strcmp(what, "speed") == 0) return speed(), 0;
  if (std::strcmp(what, "latency") == 0) return latency(), 0;
  std::fprintf(stderr, "peer_figures speed | latency\n");
  return 2;
}
