#include "calibration/collective_reach.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/maths.h"
#include "calibration/rising.h"
#include "calibration/words.h"

namespace moesim {
namespace {

constexpr double kFades = 4;        // octaves of sizes
constexpr double kLeast = 1e-9;     // seconds

double power(double x, double exponent) { return portable_exp(exponent * portable_log(x)); }

}  // namespace

CollectiveReach::CollectiveReach(Seconds fitted, CollectiveOp op, const HwProfile& hw, const TimedRange& timed)
    : fitted_(std::move(fitted)), op_(op), hw_(hw), timed_(timed) {
  hw_.scale_up.curves = hw_.scale_out.curves = nullptr;
}

double CollectiveReach::formula(std::int64_t gpus, double bytes) const {
  std::vector<Rank> members;
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(gpus); ++r) members.emplace_back(r);
  const Transfer t = collective(op_, Bytes{whole_ceil(bytes)}, place(members, hw_), hw_).transfer;
  return moesim::seconds(t.latency + t.span);
}

double CollectiveReach::near(std::int64_t gpus, double bytes) const {
  const double timed = std::clamp(bytes, timed_.first, timed_.last);
  if (timed == bytes) return fitted_(gpus, bytes);
  const double fading = portable_exp(-std::abs(log2_of(bytes / timed)) / kFades);
  return formula(gpus, bytes) * power(fitted_(gpus, timed) / formula(gpus, timed), fading);
}

double CollectiveReach::seconds(std::int64_t gpus, double bytes) const {
  if (gpus <= timed_.most_gpus) return near(gpus, bytes);
  const double ratio = static_cast<double>(gpus) / static_cast<double>(timed_.most_gpus), end = static_cast<double>(timed_.end) / static_cast<double>(timed_.most_gpus);
  const double by_formula = formula(gpus, bytes), share = 1 - log2_of(ratio) / log2_of(end);
  if (share <= 0) return by_formula;
  // A form without GPUs: as far off as at equal bytes a GPU.
  const double by_fit = timed_.knows_gpus ? near(gpus, bytes) : by_formula * near(timed_.most_gpus, bytes / ratio) / formula(timed_.most_gpus, bytes / ratio);
  return by_formula * power(by_fit / by_formula, share);
}

std::vector<double> CollectiveReach::curve(std::int64_t gpus, const std::vector<double>& sizes) const {
  std::vector<double> out;
  out.reserve(sizes.size());
  for (const double b : sizes) out.push_back(std::max(kLeast, seconds(gpus, b)));
  const auto first = static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), timed_.first) - sizes.begin());
  if (first < out.size()) {
    const std::vector<double> risen = rising_by_medians(std::span(out).subspan(first));
    std::copy(risen.begin(), risen.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  for (std::size_t i = std::min(first, out.size()); i-- > 0;)
    if (i + 1 < out.size()) out[i] = std::min(out[i], out[i + 1]);
  return out;
}

}  // namespace moesim
