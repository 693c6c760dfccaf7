#include "cost/moe_layer.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kBf16 = 2;            // bytes
constexpr double kTileColumns = 128;   // of a tile of the result
constexpr double kNear = 1;            // on the surface: a factor of two in rows an expert

double log2_of(double x) { return portable_log(x) / 0.693147180559945309; }
std::size_t index(MoeConstant c) { return static_cast<std::size_t>(c); }

// fp4 weights carry a scale of one byte for each 16; coarser scales are not worth counting.
double weight_bytes(DType t) { return static_cast<double>(bits(t)) / 8 * (t == DType::fp4 ? 1.125 : 1); }

}  // namespace

MoeLoad moe_load(std::span<const std::int64_t> counts) {
  MoeLoad out;
  for (const std::int64_t c : counts) {
    if (c <= 0) continue;
    out.rows += static_cast<double>(c);
    out.touched += 1;
    out.tiles += static_cast<double>((c + MoeLoad::kTile - 1) / MoeLoad::kTile);
    out.hottest = std::max(out.hottest, static_cast<double>(c));
  }
  return out;
}

MoeLayerForm::MoeLayerForm(const HwProfile& hw, DType type, const MoeConstants& constants)
    : constants_(constants),
      bandwidth_(hw.gpu.memory_bandwidth.value.count()),
      peak_(0),
      sms_(static_cast<double>(hw.gpu.sms.value)),
      weight_bytes_(weight_bytes(type)) {
  const auto found = hw.gpu.peak.find(type);
  if (found == hw.gpu.peak.end()) throw InputError(hw.name + ": found an MoE layer in " + std::string(name(type)) + ", which this machine does not compute in");
  peak_ = found->second.value.count();
}

struct MoeLayerForm::Parts {
  double weights = 0, again = 0;      // s: all reads of weights, and those of them that are read again
  double arithmetic = 0, wave = 0;    // s: all, and the last wave of it
  double both = 0;                    // s: weights and arithmetic overlapped
  double rows = 0, tokens = 0;        // s
};

MoeLayerForm::Parts MoeLayerForm::parts(MoeShape s, const MoeLoad& load, double tokens) const {
  const auto constant = [this](MoeConstant c) { return constants_[index(c)]; };
  const auto h = static_cast<double>(s.hidden), f = static_cast<double>(s.inter);
  const double expert = 3 * h * f * weight_bytes_ / (constant(MoeConstant::memory) * bandwidth_), rate = constant(MoeConstant::compute) * peak_;
  Parts out;
  out.again = constant(MoeConstant::reread) * std::max(load.tiles - load.touched, 0.0) * expert;
  out.weights = load.touched * expert + out.again;
  out.wave = constant(MoeConstant::wave) * sms_ * MoeLoad::kTile * kTileColumns * 2 * (h + f) / rate;
  out.arithmetic = 6 * h * f * load.tiles * MoeLoad::kTile / rate + out.wave;
  const double w = out.weights * out.weights, a = out.arithmetic * out.arithmetic;
  out.both = std::sqrt(std::sqrt(w * w + a * a));
  out.rows = load.rows * (2 * h + 3 * f) * kBf16 / (constant(MoeConstant::activation) * bandwidth_);
  out.tokens = tokens * h * kBf16 * constant(MoeConstant::token) / bandwidth_;
  return out;
}

double MoeLayerForm::seconds(MoeShape s, const MoeLoad& load, double tokens) const {
  const Parts p = parts(s, load, tokens);
  return constants_[index(MoeConstant::fixed)] + p.both + p.rows + p.tokens;
}

MoeLayerForm::Slopes MoeLayerForm::slopes(MoeShape s, const MoeLoad& load, double tokens) const {
  const Parts p = parts(s, load, tokens);
  const double fixed = constants_[index(MoeConstant::fixed)];
  Slopes out{fixed + p.both + p.rows + p.tokens, {}};
  const double bound = p.weights / p.both, by_weights = p.both * bound * bound * bound * bound, by_arithmetic = p.both - by_weights;
  const auto set = [&](MoeConstant c, double seconds) { out.slope[index(c)] = seconds / out.seconds; };
  set(MoeConstant::fixed, fixed);
  set(MoeConstant::memory, -by_weights);
  set(MoeConstant::compute, -by_arithmetic);
  set(MoeConstant::activation, -p.rows);
  set(MoeConstant::reread, p.weights > 0 ? by_weights * p.again / p.weights : 0);
  set(MoeConstant::token, p.tokens);
  set(MoeConstant::wave, by_arithmetic * p.wave / p.arithmetic);
  return out;
}

std::array<double, 6> moe_place(MoeShape s, const MoeLoad& load, double tokens) {
  const double touched = std::max(load.touched, 1.0), mean = std::max(load.rows, 1.0) / touched;
  return {log2_of(mean), 0.5 * log2_of(touched + 0.5), 0.25 * log2_of(static_cast<double>(s.hidden)), 0.25 * log2_of(static_cast<double>(s.inter)),
          0.3 * log2_of(std::max(tokens, 1.0)), log2_of(std::max(load.hottest, 1.0) / mean)};
}

namespace {

constexpr double kSoftness = 0.15;   // of the surface, in units of log2

MoeConstants constants_of(const MeasuredForm& f) {
  MoeConstants out{};
  std::copy_n(f.constants.begin(), kMoeConstants, out.begin());
  return out;
}

}  // namespace

MoeLayerCurve::MoeLayerCurve(const MeasuredForm& f, const HwProfile& hw, DType type, bool own)
    : form_(hw, type, constants_of(f)), ratios_(std::vector<double>(6, 1), kSoftness), own_(own) {
  for (std::size_t i = 0; i < f.log_ratio.size(); ++i) {
    const std::int64_t* s = &f.sizes[i * kSizes];
    const auto mean = [&](std::size_t k) { return static_cast<double>(s[k]) / kHundredths; };
    ratios_.add(moe_place({s[0], s[1]}, {mean(3), mean(4), 0, mean(5)}, static_cast<double>(s[2])), f.log_ratio[i]);
  }
}

double MoeLayerCurve::ratio(MoeShape s, const MoeLoad& load, double tokens) const { return portable_exp(ratios_.value(moe_place(s, load, tokens)).log_ratio); }

Cost MoeLayerCurve::cost(MoeShape s, std::span<const std::int64_t> counts, std::int64_t tokens) const {
  const MoeLoad load = moe_load(counts);
  const auto group = static_cast<double>(tokens);
  const ResidualSurface::Value v = ratios_.value(moe_place(s, load, group));
  const double seconds = form_.seconds(s, load, group) * portable_exp(v.log_ratio);
  return {std::max(time_from_seconds(seconds), kPicosecond), own_ && v.nearest <= kNear ? Provenance::interpolated : Provenance::extrapolated};
}

}  // namespace moesim
