#include "cost/prefill_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kBf16 = 2, kTile = 128, kFullHead = 128;
constexpr double kSoftness = 0.15;   // of the surface, in units of log2
constexpr double kNear = 2;          // on the surface: a factor of two in length changes the work as well

double d(std::int64_t x) { return static_cast<double>(x); }

std::array<double, 6> place(const PrefillCase& c) {
  const double seq = portable_log2(d(c.seq)), batch = portable_log2(c.batch), heads = portable_log2(d(c.heads));
  return {seq, 0.3 * batch, 0.3 * heads, 0.1 * portable_log2(d(c.kv_heads)), portable_log2(d(c.qk_dim + c.v_dim)), batch + heads + seq};
}

PrefillConstants constants_of(const MeasuredForm& t) {
  PrefillConstants out{};
  std::copy_n(t.constants.begin(), out.size(), out.begin());
  return out;
}

}  // namespace

PrefillCase prefill_case(const Op& op) {
  const bool windowed = op.window > 0 && op.window < op.seq;
  const double overlapping = windowed ? 2 * d(op.seq) / d(op.window) - 1 : 1;
  return {d(op.groups) * overlapping, windowed ? op.window : op.seq, op.heads, op.kv_heads, op.qk_dim, op.v_dim};
}

PrefillForm::PrefillForm(const KernelNumbers& c, const PrefillConstants& times)
    : at_{c.memory_fixed, c.attention_forward, c.gemm_memory * c.bandwidth, c.half_seq, c.forward_half_tiles, 1 / c.narrow_head_factor - 1}, sms_(c.sms) {
  for (std::size_t i = 0; i < at_.size(); ++i) at_[i] *= times[i];
}

PrefillForm::Slopes PrefillForm::slopes(const PrefillCase& c) const {
  const auto constant = [this](PrefillConstant i) { return at_[static_cast<std::size_t>(i)]; };
  const double dims = d(c.qk_dim + c.v_dim), heads = c.batch * d(c.heads), tiles = heads * std::ceil(d(c.seq) / kTile);
  const double edge = constant(PrefillConstant::half_seq) / d(c.seq), few = constant(PrefillConstant::fill) * sms_ / tiles;
  const double softmax = std::max(2 * kFullHead / dims - 1, 0.0) * constant(PrefillConstant::narrow);
  const double arithmetic = heads * d(c.seq) * d(c.seq + 1) * dims * (1 + softmax) * (1 + edge) * (1 + few) / constant(PrefillConstant::compute);
  const double memory = c.batch * d(c.seq) * d(c.heads + c.kv_heads) * dims * kBf16 / constant(PrefillConstant::memory);
  const double both = std::sqrt(arithmetic * arithmetic + memory * memory), by_arithmetic = arithmetic * arithmetic / both;
  const double fixed = constant(PrefillConstant::fixed);
  Slopes out{fixed + both, {}};
  const auto set = [&](PrefillConstant i, double seconds) { out.slope[static_cast<std::size_t>(i)] = seconds / out.seconds; };
  set(PrefillConstant::fixed, fixed);
  set(PrefillConstant::compute, -by_arithmetic);
  set(PrefillConstant::memory, -memory * memory / both);
  set(PrefillConstant::half_seq, by_arithmetic * edge / (1 + edge));
  set(PrefillConstant::fill, by_arithmetic * few / (1 + few));
  set(PrefillConstant::narrow, by_arithmetic * softmax / (1 + softmax));
  return out;
}

PrefillCurve::PrefillCurve(const MeasuredForm& t, const KernelNumbers& here, bool own)
    : form_(here, constants_of(t)), ratios_(std::vector<double>(kSizes, 1), kSoftness), own_(own) {
  for (std::size_t i = 0; i < t.log_ratio.size(); ++i) {
    const std::int64_t* s = &t.sizes[i * kSizes];
    ratios_.add(place({d(s[0]), s[1], s[2], s[3], s[4], s[5]}), t.log_ratio[i]);
  }
}

KernelSeconds PrefillCurve::at(const PrefillCase& c) const {
  const ResidualSurface::Value v = ratios_.value(place(c));
  return {form_.seconds(c) * portable_exp(v.log_ratio), own_ ? provenance_of(v, kNear) : Provenance::extrapolated};
}

}  // namespace moesim
