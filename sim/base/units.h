// Physical quantities as types: only combinations that mean something compile.
//
//   Bytes / Bandwidth -> Time        Flops / FlopRate -> Time       (rounded up to the picosecond)
//   Bytes + Bytes, Bytes * integer, Bandwidth * factor, Flops / Flops -> ratio ...
//
// Time is a chrono duration in signed 64-bit picoseconds (+-106 days). Overflow is undefined behaviour that the
// --debug build (UBSan) reports.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include "base/maths.h"

namespace moesim {

using Time = std::chrono::duration<std::int64_t, std::pico>;

constexpr Time kPicosecond{1};
constexpr Time kNanosecond{1'000};
constexpr Time kMicrosecond{1'000'000};
constexpr Time kMillisecond{1'000'000'000};
constexpr Time kSecond{1'000'000'000'000};

/// Seconds as a double, for reports.
constexpr double seconds(Time t) { return static_cast<double>(t.count()) * 1e-12; }

/// No run, and nothing in it, may take longer: 46 days. Twice as much is still a Time, so sums of two are checked after the fact.
constexpr Time kLongestTime = 4'000'000 * kSecond;
/// Throws TooLong (base/error.h) with a text.
[[noreturn]] void throw_too_long();
constexpr Time checked(Time t) {
  if (t > kLongestTime) throw_too_long();
  return t;
}

/// The smallest Time that is >= `s` seconds. Throws TooLong if that is after kLongestTime, or not a number.
inline Time time_from_seconds(double s) {
  if (!(s <= seconds(kLongestTime) && s >= -seconds(kLongestTime))) throw_too_long();
  return Time{whole_ceil(s * 1e12)};
}

/// A number with a unit. `Tag` keeps units apart, `Rep` is int64 (exact counts) or double (rates).
template <class Tag, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}

  constexpr Rep count() const { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity o) { count_ += o.count_; return *this; }
  constexpr Quantity& operator-=(Quantity o) { count_ -= o.count_; return *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, Rep n) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator*(Rep n, Quantity a) { return Quantity(a.count_ * n); }
  /// Integer counts are divided only exactly or by rounding up: see ceil_div. Rates divide freely.
  friend constexpr Quantity operator/(Quantity a, Rep n) requires(!std::is_integral_v<Rep>) { return Quantity(a.count_ / n); }
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.count_) / static_cast<double>(b.count_);
  }

 private:
  Rep count_{};
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Flops = Quantity<struct FlopsTag, double>;            // up to 1e24 a step: past 64-bit integers
using Bandwidth = Quantity<struct BandwidthTag, double>;    // bytes per second
using FlopRate = Quantity<struct FlopRateTag, double>;      // FLOP per second

inline Time operator/(Bytes b, Bandwidth bw) { return time_from_seconds(static_cast<double>(b.count()) / bw.count()); }
inline Time operator/(Flops f, FlopRate r) { return time_from_seconds(f.count() / r.count()); }

/// ceil(a / b) for a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr Bytes ceil_div(Bytes a, std::int64_t b) { return Bytes{ceil_div(a.count(), b)}; }

}  // namespace moesim
