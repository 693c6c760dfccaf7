#include "calibration/roofline_fit.h"

#include <algorithm>
#include <vector>

#include "base/maths.h"

namespace moesim {
namespace {

/// Of a row, as shares of what was measured.
struct Work {
  double flops, bytes, fixed;   // FLOPs, bytes and one second
};

// Sum of |log(predicted / measured)|; the logarithm of the product of a few ratios, which are at most 1e12 each.
double distance(const ThreeConstants& c, const std::vector<Work>& rows) {
  constexpr double kLarge = 1e200;
  const double flop_seconds = 1 / c.flop_rate, byte_seconds = 1 / c.byte_rate;
  double out = 0, product = 1;
  for (const Work& w : rows) {
    const double ratio = c.fixed * w.fixed + std::max(w.flops * flop_seconds, w.bytes * byte_seconds);
    product *= ratio > 1 ? ratio : 1 / ratio;
    if (product > kLarge) {
      out += portable_log(product);
      product = 1;
    }
  }
  return out + portable_log(product);
}

ThreeConstants peaks(const std::vector<Work>& rows) {
  ThreeConstants out{1 / rows.front().fixed, 1, 0};
  for (const Work& w : rows) {
    out.fixed = std::min(out.fixed, 1 / w.fixed);
    out.flop_rate = std::max(out.flop_rate, w.flops);
    out.byte_rate = std::max(out.byte_rate, w.bytes);
  }
  return out;
}

ThreeConstants nearest_minimum(ThreeConstants best, double step, const std::vector<Work>& rows) {
  double least = distance(best, rows);
  while (step > 1.005) {
    bool moved = false;
    for (double ThreeConstants::*member : {&ThreeConstants::fixed, &ThreeConstants::flop_rate, &ThreeConstants::byte_rate})
      for (const double factor : {step, 1 / step}) {
        ThreeConstants next = best;
        next.*member *= factor;
        if (const double d = distance(next, rows); d < least) {
          least = d;
          best = next;
          moved = true;
        }
      }
    if (!moved) step = 1 + (step - 1) / 2;
  }
  return best;
}

/// Steps along one constant stop in valleys that run across, so the best of a few starts.
ThreeConstants minimum(const std::vector<Work>& rows) {
  const ThreeConstants first = peaks(rows);
  std::optional<ThreeConstants> out;
  for (const double fixed : {1.0, 0.25})
    for (const double rates : {1.0, 0.5}) {
      const ThreeConstants next = nearest_minimum({fixed * first.fixed, rates * first.flop_rate, rates * first.byte_rate}, 2, rows);
      if (!out || distance(next, rows) < distance(*out, rows)) out = next;
    }
  return *out;
}

}  // namespace

double ThreeConstants::seconds(const TimedRow& r) const { return fixed + std::max(r.flops / flop_rate, r.bytes / byte_rate); }

std::optional<ThreeConstants> fit_three_constants(std::span<const TimedRow> rows, const Seen& seen, const std::optional<ThreeConstants>& start) {
  std::vector<Work> work;
  for (const TimedRow& r : rows) {
    if (!(r.bytes > 0)) return std::nullopt;
    if (seen(r)) work.push_back({r.flops / r.seconds, r.bytes / r.seconds, 1 / r.seconds});
  }
  if (work.empty()) return std::nullopt;
  return start ? nearest_minimum(*start, 1.5, work) : minimum(work);
}

}  // namespace moesim
