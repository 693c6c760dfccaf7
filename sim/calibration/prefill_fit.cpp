#include "calibration/prefill_fit.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"

namespace moesim {
namespace {

constexpr double kWild = 1.09861228866810969;   // log 3: a timing is not further off the form
constexpr ConstantRanges<kPrefillConstants> kRanges{
    // fixed compute memory half_seq fill narrow
    {2.7, 0.85, 0.875, 0.27, 2, 1},
    {0.3, 0.05, 0.02, 1e-3, 1e-3, 0.02},
    {300, 5, 5, 10, 100, 10},
    {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},
};

}  // namespace

MeasuredForm fit_prefill(const KernelNumbers& closed_form, std::span<const PrefillTiming> timings) {
  if (timings.empty()) throw InputError("no attention timings to fit");
  std::vector<double> seconds;
  for (const PrefillTiming& t : timings) seconds.push_back(t.seconds);
  const PrefillConstants found = fit_constants(kRanges, std::span<const double>(seconds), [&](const PrefillConstants& constants) {
    return [at = PrefillForm(closed_form, constants), timings](std::size_t i) { return at.slopes(timings[i].op); };
  });
  const PrefillForm form(closed_form, found);
  MeasuredForm out;
  out.constants.assign(found.begin(), found.end());
  for (const auto& [c, measured] : timings) {
    for (const std::int64_t size : {static_cast<std::int64_t>(c.batch), c.seq, c.heads, c.kv_heads, c.qk_dim, c.v_dim}) out.sizes.push_back(size);
    out.log_ratio.push_back(std::clamp(portable_log(measured / form.seconds(c)), -kWild, kWild));
  }
  return out;
}

}  // namespace moesim
