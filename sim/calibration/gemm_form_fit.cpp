#include "calibration/gemm_form_fit.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "calibration/constant_fit.h"
#include "model/op.h"

namespace moesim {
namespace {

constexpr std::size_t kEnough = 400;   // timings for four constants
constexpr ConstantRanges<kGemmConstants> kRanges{
    // fixed compute memory half
    {5e-6, 0.75, 0.75, 100},
    {5e-7, 0.02, 0.02, 1},
    {1e-3, 2, 2, 1e4},
    {1e-4, 1e-4, 1e-4, 1e-4},
};

double d(std::int64_t x) { return static_cast<double>(x); }

}  // namespace

FittedGemmForm::FittedGemmForm(const HwProfile& hw, DType type, const GemmConstants& constants)
    : constants_(constants), type_(type), bandwidth_(hw.gpu.memory_bandwidth.value.count()), peak_(0) {
  const auto found = hw.gpu.peak.find(type);
  if (found == hw.gpu.peak.end()) throw InputError(hw.name + ": found a GEMM in " + std::string(name(type)) + ", which this machine does not compute in");
  peak_ = found->second.value.count();
}

FittedGemmForm::Slopes FittedGemmForm::slopes(GemmShape s) const {
  const auto constant = [this](GemmConstant i) { return constants_[static_cast<std::size_t>(i)]; };
  const double edge = constant(GemmConstant::half) * (1 / d(s.k) + 1 / (2 * d(s.n)));
  const double arithmetic = 2 * d(s.m) * d(s.n) * d(s.k) * (1 + edge) / (constant(GemmConstant::compute) * peak_);
  const double bytes = (d(s.m) * d(s.k) + d(s.k) * d(s.n)) * d(bits(type_)) / 8 + 2 * d(s.m) * d(s.n);
  const double memory = bytes / (constant(GemmConstant::memory) * bandwidth_), a = arithmetic * arithmetic, b = memory * memory;
  const double both = std::sqrt(std::sqrt(a * a + b * b)), by_arithmetic = both * (a * a / (a * a + b * b)), fixed = constant(GemmConstant::fixed);
  Slopes out{fixed + both, {}};
  const auto set = [&](GemmConstant i, double seconds) { out.slope[static_cast<std::size_t>(i)] = seconds / out.seconds; };
  set(GemmConstant::fixed, fixed);
  set(GemmConstant::compute, -by_arithmetic);
  set(GemmConstant::memory, by_arithmetic - both);
  set(GemmConstant::half, by_arithmetic * edge / (1 + edge));
  return out;
}

GemmForm fit_gemm_form(const HwProfile& hw, DType type, std::span<const GemmTiming> timings) {
  if (timings.empty()) throw InputError("no GEMM timings to fit");
  std::vector<GemmShape> shapes;
  std::vector<double> seconds;
  const std::size_t stride = timings.size() / kEnough + 1;
  for (std::size_t i = 0; i < timings.size(); i += stride) {
    shapes.push_back(timings[i].shape);
    seconds.push_back(timings[i].seconds);
  }
  const GemmConstants found = fit_constants(kRanges, std::span<const double>(seconds), [&](const GemmConstants& constants) {
    return [form = FittedGemmForm(hw, type, constants), &shapes](std::size_t i) { return form.slopes(shapes[i]); };
  });
  return [form = FittedGemmForm(hw, type, found)](GemmShape s) { return form.slopes(s).seconds; };
}

}  // namespace moesim
