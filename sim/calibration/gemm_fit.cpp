#include "calibration/gemm_fit.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/constant_fit.h"
#include "calibration/rising.h"
#include "cost/residual_surface.h"

namespace moesim {
namespace {

constexpr double kSoftness = 0.2;   // of log2: shapes nearer than 15 % say the same
constexpr std::size_t kEnough = 200;   // timings for four constants
constexpr ConstantRanges<kGemmConstants> kRanges{
    // fixed compute memory half
    {1.5, 0.95, 0.95, 0.85},
    {0.1, 0.02, 0.02, 0.01},
    {300, 3, 3, 100},
    {1e-4, 1e-4, 1e-4, 1e-4},
};

std::vector<std::int64_t> axis(std::span<const GemmTiming> timings, std::int64_t GemmShape::*member) {
  std::vector<std::int64_t> out;
  for (const GemmTiming& t : timings)   // a few sizes, each many times
    if (const auto at = std::lower_bound(out.begin(), out.end(), t.shape.*member); at == out.end() || *at != t.shape.*member) out.insert(at, t.shape.*member);
  return out;
}

struct Mean {
  double seconds = 0;   // of the last
  double sum = 0;
  std::int64_t count = 0;
  double value() const { return sum / static_cast<double>(count); }
};

// The logarithms of one m over all n and k, holes filled.
class Plane {
 public:
  Plane(std::int64_t m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k, const GemmForm& form)
      : m_(m), n_(n), k_(k), form_(form), known_(n.size() * k.size()) {}

  void add(GemmShape s, double seconds) {
    Mean& cell = known_[index(n_, s.n) * k_.size() + index(k_, s.k)];
    cell.seconds = seconds;
    cell.sum += portable_log(seconds);
    ++cell.count;
  }

  std::vector<double> seconds() const {
    ResidualSurface surface({1, 1}, kSoftness);
    for_each([&](std::size_t cell, GemmShape s) {
      if (known_[cell].count > 0) surface.add(place(s), known_[cell].value() - portable_log(form_.seconds(s)));
    });
    std::vector<double> logs(known_.size());
    for_each([&](std::size_t cell, GemmShape s) {
      logs[cell] = known_[cell].count > 0 ? known_[cell].value() : portable_log(form_.seconds(s)) + surface.value(place(s)).log_ratio;
    });
    std::vector<double> out = rising_matrix(logs, n_.size(), k_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = known_[i].count == 1 && out[i] == logs[i] ? known_[i].seconds : portable_exp(out[i]);
    return out;
  }

  void known(std::vector<bool>& out) const {
    for (const Mean& m : known_) out.push_back(m.count > 0);
  }

 private:
  static std::size_t index(const std::vector<std::int64_t>& axis, std::int64_t x) {
    return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), x) - axis.begin());
  }
  static std::array<double, 2> place(GemmShape s) { return {portable_log2(static_cast<double>(s.n)), portable_log2(static_cast<double>(s.k))}; }

  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < n_.size(); ++i)
      for (std::size_t j = 0; j < k_.size(); ++j) f(i * k_.size() + j, GemmShape{m_, n_[i], k_[j]});
  }

  std::int64_t m_;
  const std::vector<std::int64_t>&n_, &k_;
  const GemmForm& form_;
  std::vector<Mean> known_;
};

}  // namespace

GemmConstants fit_gemm_constants(const KernelNumbers& numbers, DType type, std::span<const GemmTiming> timings) {
  if (timings.empty()) throw InputError("no GEMM timings to fit");
  std::vector<GemmShape> shapes;
  std::vector<double> seconds;
  const std::size_t stride = timings.size() / kEnough + 1;
  for (std::size_t i = 0; i < timings.size(); i += stride) {
    shapes.push_back(timings[i].shape);
    seconds.push_back(timings[i].seconds);
  }
  return fit_constants(kRanges, std::span<const double>(seconds), [&](const GemmConstants& constants) {
    return [form = GemmForm(numbers, type, constants), &shapes](std::size_t i) { return form.slopes(shapes[i]); };
  });
}

MeasuredGemm fit_gemm(const KernelNumbers& numbers, DType type, std::span<const GemmTiming> timings) {
  const GemmConstants constants = fit_gemm_constants(numbers, type, timings);
  const GemmForm form(numbers, type, constants);
  MeasuredGemm out;
  out.constants.assign(constants.begin(), constants.end());
  out.m = axis(timings, &GemmShape::m), out.n = axis(timings, &GemmShape::n), out.k = axis(timings, &GemmShape::k);
  std::map<std::int64_t, Plane> planes;
  for (const std::int64_t each : out.m) planes.try_emplace(each, each, out.n, out.k, form);
  for (const GemmTiming& t : timings) planes.at(t.shape.m).add(t.shape, t.seconds);
  for (const auto& [each, plane] : planes) {
    for (const double seconds : plane.seconds()) out.seconds.push_back(seconds);
    plane.known(out.timed);
  }
  return out;
}

}  // namespace moesim
