#include "calibration/moe_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "calibration/normal_equations.h"

namespace moesim {
namespace {

using Vector = std::array<double, kMoeConstants>;

// Towards the usual constants, against the mean square of the errors; the fixed part more, since wide experts hide it.
constexpr MoeConstants kPull{1e-3, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4};
constexpr double kHuber = 0.1;       // errors beyond it count by their size, not by their square
constexpr double kSoftness = 0.15;   // of the surface, in units of log2
//                                fixed  memory compute activation reread token wave
constexpr MoeConstants kLeast{    1e-6,  0.2,   0.1,    0.02,      0.02,  0.02, 0.02};
constexpr MoeConstants kMost{     3e-4,  1.1,   1.5,    2,         1,     20,   4};

Vector logs(const MoeConstants& c) {
  Vector out;
  std::transform(c.begin(), c.end(), out.begin(), portable_log);
  return out;
}

MoeConstants exps(const Vector& logs) {
  MoeConstants out;
  std::transform(logs.begin(), logs.end(), out.begin(), portable_exp);
  return out;
}

/// Loss at a point, with the normal equations of its linear approximation.
struct Point {
  Vector at;
  double loss = 0;
  NormalEquations<kMoeConstants> equations;
};

class Problem {
 public:
  Problem(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) : hw_(hw), type_(type), timings_(timings), usual_(logs(kUsualMoeConstants)) {
    for (const MoeTiming& t : timings) log_seconds_.push_back(portable_log(t.seconds));
  }

  Point at(const Vector& logs) const {
    const MoeLayerForm form(hw_, type_, exps(logs));
    Point out{logs, 0, {}};
    const double share = 1 / static_cast<double>(timings_.size());
    for (std::size_t i = 0; i < timings_.size(); ++i) {
      const MoeTiming& t = timings_[i];
      const MoeLayerForm::Slopes s = form.slopes(t.shape, t.load, t.tokens);
      const double error = portable_log(s.seconds) - log_seconds_[i], root = std::sqrt(1 + error * error / (kHuber * kHuber));
      out.loss += share * 2 * kHuber * kHuber * (root - 1);
      out.equations.add(s.slope, error, share / root);
    }
    for (std::size_t i = 0; i < kMoeConstants; ++i) {
      Vector unit{};
      unit[i] = 1;
      out.loss += kPull[i] * (logs[i] - usual_[i]) * (logs[i] - usual_[i]);
      out.equations.add(unit, logs[i] - usual_[i], kPull[i]);
    }
    return out;
  }

 private:
  const HwProfile& hw_;
  DType type_;
  std::span<const MoeTiming> timings_;
  std::vector<double> log_seconds_;
  Vector usual_;
};

Vector stepped(const Point& from, double damping) {
  const Vector step = from.equations.solution(damping), least = logs(kLeast), most = logs(kMost);
  Vector out = from.at;
  for (std::size_t i = 0; i < kMoeConstants; ++i) out[i] = std::clamp(out[i] - std::clamp(step[i], -1.0, 1.0), least[i], most[i]);
  return out;
}

}  // namespace

MoeConstants fit_moe_constants(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) {
  constexpr int kSteps = 60;
  if (timings.empty()) throw InputError("no MoE timings to fit");
  const Problem problem(hw, type, timings);
  Point best = problem.at(logs(kUsualMoeConstants));
  double damping = 1e-3;
  for (int i = 0; i < kSteps && damping < 1e3; ++i) {
    Point next = problem.at(stepped(best, damping));
    const bool better = next.loss < best.loss * (1 - 1e-9);
    if (better) best = std::move(next);
    damping = better ? damping / 4 : damping * 8;
  }
  return exps(best.at);
}

MoeLayerCurve fit_moe_layer(const HwProfile& hw, DType type, std::span<const MoeTiming> timings) {
  const MoeLayerForm form(hw, type, fit_moe_constants(hw, type, timings));
  ResidualSurface ratios(std::vector<double>(6, 1), kSoftness);
  for (const MoeTiming& t : timings)
    ratios.add(moe_place(t.shape, t.load, t.tokens), portable_log(t.seconds / form.seconds(t.shape, t.load, t.tokens)));
  return {form, std::move(ratios)};
}

}  // namespace moesim
