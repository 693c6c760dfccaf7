#include "calibration/moe_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"

namespace moesim {
namespace {

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

MeasuredForm fit_moe_layer(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) {
  const MoeConstants constants = fit_moe_constants(hw, type, timings);
  const MoeLayerForm form(hw, type, constants);
  MeasuredForm out;
  out.constants.assign(constants.begin(), constants.end());
  for (const MoeTiming& t : timings) {
    out.sizes.insert(out.sizes.end(), {t.shape.hidden, t.shape.inter, std::llround(t.tokens)});
    for (const double mean : {t.load.rows, t.load.touched, t.load.hottest})
      out.sizes.push_back(std::max<std::int64_t>(1, std::llround(mean * MoeLayerCurve::kHundredths)));
    out.log_ratio.push_back(portable_log(t.seconds / form.seconds(t.shape, t.load, t.tokens)));
  }
  return out;
}

}  // namespace moesim
