// What the tables share: rows of a device, sorted into series.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "calibration/surface_fit.h"
#include "calibration/words.h"

namespace moesim {

/// The last series with these names, or a new one.
inline SurfaceSeries& series_named(std::vector<SurfaceSeries>& all, const SurfaceSeries& names) {
  for (auto s = all.rbegin(); s != all.rend(); ++s)
    if (s->device == names.device && s->kernel == names.kernel && s->format == names.format) return *s;
  return all.emplace_back(names);
}

inline double seconds_in(const CsvTable& t, std::size_t row, std::size_t us) { return t.number(row, us, {1e-3, 1e9}) * 1e-6; }

}  // namespace moesim
