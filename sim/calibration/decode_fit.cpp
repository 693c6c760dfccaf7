#include "calibration/decode_fit.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"

namespace moesim {
namespace {

constexpr double kWild = 1.09861228866810969;   // log 3
constexpr ConstantRanges<kDecodeConstants> kRanges{
    kUsualDecodeConstants,
    // fixed memory compute rows split sequence
    {1e-6, 0.1, 0.02, 0.01, 0.5, 1e-10},
    {1e-3, 2, 4, 4, 1e4, 1e-5},
    {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},
};

}  // namespace

MeasuredForm fit_decode(const HwProfile& hw, std::span<const DecodeTiming> timings) {
  if (timings.empty()) throw InputError("no decode timings to fit");
  std::vector<double> seconds;
  for (const DecodeTiming& t : timings) seconds.push_back(t.seconds);
  const DecodeConstants found = fit_constants(kRanges, std::span<const double>(seconds), [&](const DecodeConstants& constants) {
    return [at = DecodeForm(hw, constants), timings](std::size_t i) { return at.slopes(timings[i].op); };
  });
  const DecodeForm form(hw, found);
  MeasuredForm out;
  out.constants.assign(found.begin(), found.end());
  for (const auto& [c, measured] : timings) {
    for (const std::int64_t size : {c.batch, c.kv_len, c.heads, c.kv_heads, c.head_dim, c.latent, c.rope}) out.sizes.push_back(size);
    out.log_ratio.push_back(std::clamp(portable_log(measured / form.seconds(c)), -kWild, kWild));
  }
  return out;
}

}  // namespace moesim
