#include "base/maths.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace moesim {
namespace {

// ln 2 split so that k * kLn2High is exact for |k| < 2^20.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

std::uint64_t bits_of(double x) {
  std::uint64_t out = 0;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

double double_of(std::uint64_t bits) {
  double out = 0;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

constexpr int kSignificandBits = 52, kBias = 1023;

/// x 2^k, and x as a number from 1/2 to 1 times 2^exponent: what ldexp and frexp say, without the calls, which take a quarter of the time here.
double scaled(double x, std::int64_t k) {
  constexpr int kNormal = 1000;   // for x near 1
  return -kNormal < k && k < kNormal ? x * double_of(static_cast<std::uint64_t>(k + kBias) << kSignificandBits) : std::ldexp(x, static_cast<int>(k));
}

double split(double x, int& exponent) {
  const std::uint64_t bits = bits_of(x), raised = bits >> kSignificandBits;   // x > 0: no sign
  if (raised == 0) return std::frexp(x, &exponent);                           // too small to be normal
  exponent = static_cast<int>(raised) - (kBias - 1);
  return double_of((bits & ((std::uint64_t{1} << kSignificandBits) - 1)) | (std::uint64_t{kBias - 1} << kSignificandBits));
}

}  // namespace

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 0x1.62e42fefa39efp+9) return std::numeric_limits<double>::infinity();   // log of the largest double
  if (x < -746) return 0;
  const std::int64_t power = whole_floor(x / (kLn2High + kLn2Low) + 0.5);
  const auto k = static_cast<double>(power);
  const double r = (x - k * kLn2High) - k * kLn2Low;   // |r| <= ln 2 / 2
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return scaled(sum, power);
}

double portable_log(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double m = split(x, exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {   // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  const double f = (m - 1) / (m + 1), f2 = f * f;   // log m = 2 atanh f, |f| < 0.172
  double series = 0;
  for (int n = 23; n >= 3; n -= 2) series = (series + 1.0 / n) * f2;
  return exponent * kLn2High + (2 * f + (2 * f * series + exponent * kLn2Low));
}

double portable_pow(double x, double y) { return y == 0 ? 1 : portable_exp(y * portable_log(x)); }

}  // namespace moesim
