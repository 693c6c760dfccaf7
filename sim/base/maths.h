// exp, log and pow that give the same bits on every CPU and compiler: results feed reports and must not depend on which libm
// variant (FMA or not) was dispatched. Relative errors
// measured against 64-bit significands: exp 2e-16, log 4e-16, pow 4e-15 while |y log x| < 20 and 7e-14 at the ends of the range.
#pragma once

#include <cstdint>

namespace moesim {

double portable_exp(double x);
double portable_log(double x);             // x > 0
double portable_pow(double x, double y);   // x > 0
inline double portable_log2(double x) { return portable_log(x) / 0.693147180559945309; }   // x > 0

/// Floor and ceiling as integers, |x| < 2^63. Without the call into libm, which is most of their time where they are used in bulk.
inline std::int64_t whole_floor(double x) {
  const auto i = static_cast<std::int64_t>(x);
  return i - (static_cast<double>(i) > x);
}
inline std::int64_t whole_ceil(double x) {
  const auto i = static_cast<std::int64_t>(x);
  return i + (static_cast<double>(i) < x);
}

}  // namespace moesim
