#include "analysis/interval.h"

#include <algorithm>
#include <array>
#include <span>

namespace moesim {
namespace {

// Printed by `moesim validate published --residuals` on 2026-12-01; a test runs it again and compares.
constexpr ErrorSpread kDense{47, -0.044, 0.085, 37};
constexpr ErrorSpread kMoe{26, -0.120, 0.086, 20};
constexpr ErrorSpread kPeak{11, 0.060, 0.257, 8};
constexpr std::int64_t kPeakModels = 3;
constexpr std::string_view kPeakMachine = "dgx-h100";
constexpr std::array<std::string_view, 4> kDenseMachines{"alps-gh200", "dgx-a100", "dgx-h100", "jupiter-gh200"};
constexpr std::array<std::string_view, 3> kMoeMachines{"aws-p5-h100", "dgx-h100", "gb200-nvl72"};

}  // namespace

const ErrorSpread& published_error_spread(bool moe) { return moe ? kMoe : kDense; }

bool published_on(std::string_view machine, bool moe) {
  const std::span<const std::string_view> machines = moe ? std::span<const std::string_view>(kMoeMachines) : kDenseMachines;
  return std::find(machines.begin(), machines.end(), machine) != machines.end();
}

const ErrorSpread& published_peak_spread() { return kPeak; }
std::int64_t published_peak_models() { return kPeakModels; }
bool published_peak_on(std::string_view machine) { return machine == kPeakMachine; }

std::pair<double, double> likely_interval(double predicted, const ErrorSpread& s) { return {predicted / (1 + s.p90), predicted / (1 + s.p10)}; }

}  // namespace moesim
