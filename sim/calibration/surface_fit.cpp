#include "calibration/surface_fit.h"

#include <set>

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of log2: shapes nearer than 10 % say the same

}  // namespace

ResidualSurface fit_surface(const SurfaceSeries& s, const std::string& without) {
  ResidualSurface out(s.scale, kSoftness);
  for (const TimedPoint& p : s.points)
    if (without.empty() || p.shape != without) out.add(p.place, portable_log(p.seconds / p.form));
  return out;
}

double predicted_seconds(const ResidualSurface& surface, const TimedPoint& p) { return p.form * portable_exp(surface.value(p.place).log_ratio); }

SeriesScore score(const SurfaceSeries& s) {
  SeriesScore out{s.device, s.table, s.kernel, s.format, {}, {}, {}};
  std::vector<double> used, left_out, alone;
  const ResidualSurface all = fit_surface(s);
  std::set<std::string> shapes;
  for (const TimedPoint& p : s.points) {
    shapes.insert(p.shape);
    used.push_back(predicted_seconds(all, p) / p.seconds - 1);
    alone.push_back(p.form / p.seconds - 1);
  }
  if (shapes.size() > 1)
    for (const std::string& shape : shapes) {
      const ResidualSurface others = fit_surface(s, shape);
      for (const TimedPoint& p : s.points)
        if (p.shape == shape) left_out.push_back(predicted_seconds(others, p) / p.seconds - 1);
    }
  out.used = error_stats(used);
  out.left_out = error_stats(left_out);
  out.roofline = error_stats(alone);
  return out;
}

}  // namespace moesim
