#include "calibration/roofline_fit.h"

#include <algorithm>

#include "base/maths.h"

namespace moesim {
namespace {

// Sum of |log(predicted / measured)|; the logarithm of the product of a few ratios, which are at most 1e12 each.
double distance(const ThreeConstants& c, std::span<const TimedRow> rows) {
  constexpr double kLarge = 1e200;
  double out = 0, product = 1;
  for (const TimedRow& r : rows) {
    const double t = c.seconds(r);
    product *= std::max(t / r.seconds, r.seconds / t);
    if (product > kLarge) {
      out += portable_log(product);
      product = 1;
    }
  }
  return out + portable_log(product);
}

}  // namespace

double ThreeConstants::seconds(const TimedRow& r) const { return fixed + std::max(r.flops / flop_rate, r.bytes / byte_rate); }

std::optional<ThreeConstants> fit_three_constants(std::span<const TimedRow> rows) {
  ThreeConstants best;
  if (rows.empty()) return std::nullopt;
  best.fixed = rows.front().seconds;
  for (const TimedRow& r : rows) {
    if (!(r.bytes > 0)) return std::nullopt;
    best.fixed = std::min(best.fixed, r.seconds);
    best.flop_rate = std::max(best.flop_rate, r.flops / r.seconds);
    best.byte_rate = std::max(best.byte_rate, r.bytes / r.seconds);
  }
  best.flop_rate = std::max(best.flop_rate, 1.0);
  double least = distance(best, rows);
  for (double step = 2; step > 1.005;) {
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

}  // namespace moesim
