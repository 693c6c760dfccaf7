#include "analysis/interval.h"

namespace moesim {
namespace {

// Printed by `moesim validate published --residuals` on 2026-11-30; a test runs it again and compares.
constexpr ErrorSpread kDense{39, -0.067, 0.036, 31};
constexpr ErrorSpread kMoe{26, -0.137, 0.083, 20};

}  // namespace

const ErrorSpread& published_error_spread(bool moe) { return moe ? kMoe : kDense; }

std::pair<double, double> likely_interval(double predicted, const ErrorSpread& s) { return {predicted / (1 + s.p90), predicted / (1 + s.p10)}; }

}  // namespace moesim
