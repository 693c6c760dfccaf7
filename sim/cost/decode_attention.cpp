#include "cost/decode_attention.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kBf16 = 2;       // bytes
constexpr double kHeadTile = 64;
constexpr double kSoftness = 0.15;   // of the surface of ratios, in units of log2
constexpr double kNear = 1;          // on it: a factor of two in the cache

double d(std::int64_t x) { return static_cast<double>(x); }
double bf16_peak(const HwProfile& hw) {
  const auto found = hw.gpu.peak.find(DType::bf16);
  if (found == hw.gpu.peak.end()) throw InputError(hw.name + ": attention computes in bf16, which this machine does not");
  return found->second.value.count();
}

std::size_t index(DecodeConstant c) { return static_cast<std::size_t>(c); }

/// What a case moves and computes, a sequence and KV head at a time.
struct Work {
  double kv_heads, heads;              // of a latent: one, which all heads share
  double cached, products, results;    // elements of the cache a token; of its multiply-adds a head; of the result a head
};

Work work_of(const DecodeCase& c) {
  if (c.latent > 0) return {1, d(c.heads), d(c.latent + c.rope), d(2 * c.latent + c.rope), d(2 * c.latent + c.rope)};
  return {d(c.kv_heads), d(c.heads) / d(c.kv_heads), d(2 * c.head_dim), d(2 * c.head_dim), d(2 * c.head_dim)};
}

/// On the surface of ratios: logarithms of length, batch, KV heads, heads a KV head, and cache.
std::array<double, 5> place(const DecodeCase& c) {
  const Work w = work_of(c);
  const double length = portable_log2(d(c.kv_len)), batch = portable_log2(d(c.batch)), kv_heads = portable_log2(w.kv_heads), group = portable_log2(w.heads);
  if (c.latent > 0) return {length, batch, 0, 0.5 * group, 0.5 * (length + batch)};
  return {0.5 * length, 0.5 * batch, 0.3 * kv_heads, 0.3 * group, length + batch + kv_heads};
}

DecodeConstants constants_of(const MeasuredForm& t) {
  DecodeConstants out{};
  std::copy_n(t.constants.begin(), out.size(), out.begin());
  return out;
}

}  // namespace

DecodeForm::DecodeForm(const HwProfile& hw, const DecodeConstants& constants)
    : constants_(constants),
      bandwidth_(hw.gpu.memory_bandwidth.value.count()),
      peak_(bf16_peak(hw)),
      sms_(d(hw.gpu.sms.value)),
      latent_tile_(hw.gpu.peak.contains(DType::fp4) ? 2 * kHeadTile : kHeadTile) {}

struct DecodeForm::Parts {
  double cache = 0, arithmetic = 0, both = 0;   // s
  double few = 0;                               // what too few sequences add, as a share of `both`
  double rows = 0, sequences = 0;               // s
};

DecodeForm::Parts DecodeForm::parts(const DecodeCase& c) const {
  const auto constant = [this](DecodeConstant i) { return constants_[index(i)]; };
  const Work w = work_of(c);
  const double tile = c.latent > 0 ? latent_tile_ : kHeadTile, tiles = std::ceil(w.heads / tile), units = d(c.batch) * w.kv_heads * tiles;
  Parts out;
  out.cache = d(c.batch) * d(c.kv_len) * w.kv_heads * w.cached * d(bits(c.kv)) / 8 / (constant(DecodeConstant::memory) * bandwidth_);
  out.arithmetic = 2 * units * tile * d(c.kv_len) * w.products / (constant(DecodeConstant::compute) * peak_);
  out.both = std::sqrt(out.cache * out.cache + out.arithmetic * out.arithmetic);
  out.few = sms_ / (constant(DecodeConstant::split) * units);
  out.rows = d(c.batch) * d(c.heads) * w.results * kBf16 / (constant(DecodeConstant::rows) * bandwidth_);
  out.sequences = units * constant(DecodeConstant::sequence);
  return out;
}

double DecodeForm::seconds(const DecodeCase& c) const {
  const Parts p = parts(c);
  return constants_[index(DecodeConstant::fixed)] + p.both * (1 + p.few) + p.rows + p.sequences;
}

DecodeForm::Slopes DecodeForm::slopes(const DecodeCase& c) const {
  const Parts p = parts(c);
  const double fixed = constants_[index(DecodeConstant::fixed)], core = p.both * (1 + p.few), by_cache = p.cache * p.cache / (p.both * p.both);
  Slopes out{fixed + core + p.rows + p.sequences, {}};
  const auto set = [&](DecodeConstant i, double seconds) { out.slope[index(i)] = seconds / out.seconds; };
  set(DecodeConstant::fixed, fixed);
  set(DecodeConstant::memory, -core * by_cache);
  set(DecodeConstant::compute, -core * (1 - by_cache));
  set(DecodeConstant::rows, -p.rows);
  set(DecodeConstant::split, -p.both * p.few);
  set(DecodeConstant::sequence, p.sequences);
  return out;
}

DecodeCurve::DecodeCurve(const MeasuredForm& t, const HwProfile& here, bool own)
    : form_(here, constants_of(t)), ratios_(std::vector<double>(5, 1), kSoftness), own_(own) {
  for (std::size_t i = 0; i < t.log_ratio.size(); ++i) {
    const std::int64_t* s = &t.sizes[i * kSizes];
    ratios_.add(place({s[0], s[1], s[2], s[3], s[4], s[5], s[6], DType::bf16}), t.log_ratio[i]);
  }
}

KernelSeconds DecodeCurve::at(const DecodeCase& c) const {
  const ResidualSurface::Value v = ratios_.value(place(c));
  return {form_.seconds(c) * portable_exp(v.log_ratio), own_ ? provenance_of(v, kNear) : Provenance::extrapolated};
}

}  // namespace moesim
