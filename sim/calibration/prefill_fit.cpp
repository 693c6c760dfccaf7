#include "calibration/prefill_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"
#include "calibration/words.h"

namespace moesim {
namespace {

constexpr double kBf16 = 2, kTile = 128, kFullHead = 128;
constexpr double kSoftness = 0.15;              // of the surface, in units of log2
constexpr double kWild = 1.09861228866810969;   // log 3: a timing is not further off the form
constexpr ConstantRanges<kPrefillConstants> kRanges{
    // fixed compute memory half_seq fill narrow
    {8e-6, 0.6, 0.7, 300, 2, 0.5},
    {1e-6, 0.05, 0.02, 1, 0.05, 0.02},
    {1e-3, 4, 4, 1e4, 200, 4},
    {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},
};

double d(std::int64_t x) { return static_cast<double>(x); }

double bf16_peak(const HwProfile& hw) {
  const auto found = hw.gpu.peak.find(DType::bf16);
  if (found == hw.gpu.peak.end()) throw InputError(hw.name + ": attention computes in bf16, which this machine does not");
  return found->second.value.count();
}

std::array<double, 6> place(const PrefillCase& c) {
  const double seq = log2_of(d(c.seq)), batch = log2_of(d(c.batch)), heads = log2_of(d(c.heads));
  return {seq, 0.3 * batch, 0.3 * heads, 0.1 * log2_of(d(c.kv_heads)), log2_of(d(c.qk_dim + c.v_dim)), batch + heads + seq};
}

}  // namespace

PrefillForm::PrefillForm(const HwProfile& hw, const PrefillConstants& constants)
    : constants_(constants), bandwidth_(hw.gpu.memory_bandwidth.value.count()), peak_(bf16_peak(hw)), sms_(d(hw.gpu.sms.value)) {}

PrefillForm::Slopes PrefillForm::slopes(const PrefillCase& c) const {
  const auto constant = [this](PrefillConstant i) { return constants_[static_cast<std::size_t>(i)]; };
  const double dims = d(c.qk_dim + c.v_dim), heads = d(c.batch) * d(c.heads), tiles = heads * std::ceil(d(c.seq) / kTile);
  const double edge = constant(PrefillConstant::half_seq) / d(c.seq), few = sms_ / (constant(PrefillConstant::fill) * tiles);
  const double softmax = std::max(2 * kFullHead / dims - 1, 0.0) * constant(PrefillConstant::narrow);
  const double arithmetic = heads * d(c.seq) * d(c.seq + 1) * dims * (1 + softmax) * (1 + edge) * (1 + few) / (constant(PrefillConstant::compute) * peak_);
  const double memory = d(c.batch) * d(c.seq) * d(c.heads + c.kv_heads) * dims * kBf16 / (constant(PrefillConstant::memory) * bandwidth_);
  const double both = std::sqrt(arithmetic * arithmetic + memory * memory), by_arithmetic = arithmetic * arithmetic / both;
  const double fixed = constant(PrefillConstant::fixed);
  Slopes out{fixed + both, {}};
  const auto set = [&](PrefillConstant i, double seconds) { out.slope[static_cast<std::size_t>(i)] = seconds / out.seconds; };
  set(PrefillConstant::fixed, fixed);
  set(PrefillConstant::compute, -by_arithmetic);
  set(PrefillConstant::memory, -memory * memory / both);
  set(PrefillConstant::half_seq, by_arithmetic * edge / (1 + edge));
  set(PrefillConstant::fill, -by_arithmetic * few / (1 + few));
  set(PrefillConstant::narrow, by_arithmetic * softmax / (1 + softmax));
  return out;
}

double PrefillCurve::seconds(const PrefillCase& c) const { return form_.seconds(c) * portable_exp(ratios_.value(place(c)).log_ratio); }

PrefillCurve fit_prefill(const HwProfile& hw, std::span<const PrefillTiming> timings) {
  if (timings.empty()) throw InputError("no attention timings to fit");
  std::vector<double> seconds;
  for (const PrefillTiming& t : timings) seconds.push_back(t.seconds);
  const PrefillForm form(hw, fit_constants(kRanges, std::span<const double>(seconds), [&](const PrefillConstants& constants) {
                           return [at = PrefillForm(hw, constants), timings](std::size_t i) { return at.slopes(timings[i].op); };
                         }));
  ResidualSurface ratios(std::vector<double>(6, 1), kSoftness);
  for (const PrefillTiming& t : timings) ratios.add(place(t.op), std::clamp(portable_log(t.seconds / form.seconds(t.op)), -kWild, kWild));
  return {form, std::move(ratios)};
}

}  // namespace moesim
