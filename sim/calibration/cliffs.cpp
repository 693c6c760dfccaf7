#include "calibration/cliffs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/maths.h"
#include "base/statistics.h"

namespace moesim {
namespace {

constexpr double kDrop = 0.97;
constexpr double kNeighbour = 2;   // times as many rows: beyond, a throughput says nothing of what lies between

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  double value() const { return sum / static_cast<double>(count); }
};

}  // namespace

bool Cliff::time_falls() const { return time < kDrop; }

SeriesCliffs gemm_cliffs(const TimedSeries& s) {
  SeriesCliffs out{s.device, s.framework, s.kernel, s.format, 0, {}};
  std::map<std::pair<double, double>, std::map<double, Mean>> curves;   // (n, k) -> m -> seconds
  for (const TimedRow& r : s.rows) {
    Mean& m = curves[{r.at[1], r.at[2]}][r.at[0]];
    m.sum += r.seconds;
    ++m.count;
  }
  out.shapes = static_cast<std::int64_t>(curves.size());
  for (const auto& [shape, curve] : curves)
    for (auto next = std::next(curve.begin()), last = curve.begin(); next != curve.end(); last = next++) {
      const double time = next->second.value() / last->second.value(), throughput = next->first / last->first / time;
      if (time < kDrop || (throughput < kDrop && next->first <= kNeighbour * last->first))
        out.cliffs.push_back({"n " + std::to_string(static_cast<std::int64_t>(shape.first)) + ", k " + std::to_string(static_cast<std::int64_t>(shape.second)),
                              static_cast<std::int64_t>(last->first), static_cast<std::int64_t>(next->first), time, throughput});
    }
  return out;
}

std::vector<CliffStep> cliff_steps(const SeriesCliffs& s) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Cliff*>> steps;
  for (const Cliff& c : s.cliffs)
    if (!c.time_falls()) steps[{c.from, c.to}].push_back(&c);
  std::vector<CliffStep> out;
  for (const auto& [m, cliffs] : steps) {
    CliffStep step{m.first, m.second, static_cast<std::int64_t>(cliffs.size()), 1, 0, 0};
    std::vector<double> times;
    for (const Cliff* c : cliffs) {
      times.push_back(c->time);
      step.worst = std::max(step.worst, c->time);
      step.weight -= portable_log(c->throughput);
    }
    step.median = quantile(std::move(times), 0.5);
    out.push_back(step);
  }
  std::stable_sort(out.begin(), out.end(), [](const CliffStep& a, const CliffStep& b) { return a.weight > b.weight; });
  return out;
}

}  // namespace moesim
