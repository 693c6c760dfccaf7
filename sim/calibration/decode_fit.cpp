#include "calibration/decode_fit.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of the surface, in units of log2
constexpr double kWild = 1.09861228866810969;   // log 3
constexpr ConstantRanges<kDecodeConstants> kRanges{
    kUsualDecodeConstants,
    // fixed memory compute rows split sequence
    {1e-6, 0.1, 0.02, 0.01, 0.5, 1e-10},
    {1e-3, 2, 4, 4, 1e4, 1e-5},
    {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},
};

}  // namespace

DecodeCurve fit_decode(const HwProfile& hw, std::span<const DecodeTiming> timings) {
  if (timings.empty()) throw InputError("no decode timings to fit");
  std::vector<double> seconds;
  for (const DecodeTiming& t : timings) seconds.push_back(t.seconds);
  const DecodeForm form(hw, fit_constants(kRanges, std::span<const double>(seconds), [&](const DecodeConstants& constants) {
                          return [at = DecodeForm(hw, constants), timings](std::size_t i) { return at.slopes(timings[i].op); };
                        }));
  ResidualSurface ratios(std::vector<double>(5, 1), kSoftness);
  for (const DecodeTiming& t : timings) ratios.add(decode_place(t.op), std::clamp(portable_log(t.seconds / form.seconds(t.op)), -kWild, kWild));
  return {form, std::move(ratios)};
}

}  // namespace moesim
