#include "calibration/moe_fit.h"

#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.15;   // of the surface, in units of log2
constexpr ConstantRanges<kMoeConstants> kRanges{
    kUsualMoeConstants,
    // fixed  memory compute activation reread token wave
    {1e-6, 0.2, 0.1, 0.02, 0.02, 0.02, 0.02},
    {3e-4, 1.1, 1.5, 2, 8, 200, 4},   // reread: tiles of 16 rows; token: SGLang's quantisation of blocks takes 40
    {1e-3, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},   // the fixed part more, since wide experts hide it
};

}  // namespace

MoeConstants fit_moe_constants(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) {
  if (timings.empty()) throw InputError("no MoE timings to fit");
  std::vector<double> seconds;
  for (const MoeTiming& t : timings) seconds.push_back(t.seconds);
  return fit_constants(kRanges, std::span<const double>(seconds), [&](const MoeConstants& constants) {
    return [form = MoeLayerForm(hw, type, constants), timings](std::size_t i) { return form.slopes(timings[i].shape, timings[i].load, timings[i].tokens); };
  });
}

MoeLayerCurve fit_moe_layer(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) {
  const MoeLayerForm form(hw, type, fit_moe_constants(hw, type, timings));
  ResidualSurface ratios(std::vector<double>(6, 1), kSoftness);
  for (const MoeTiming& t : timings)
    ratios.add(moe_place(t.shape, t.load, t.tokens), portable_log(t.seconds / form.seconds(t.shape, t.load, t.tokens)));
  return {form, std::move(ratios)};
}

}  // namespace moesim
