#include "base/draws.h"

#include <cmath>

#include "base/maths.h"

namespace moesim {
namespace {

// Where the tail begins, and the area of a layer: kTail exp(-kTail^2 / 2) plus the tail. The one pair for which 128 layers end at the top
// of the curve, found by bisection with 50 digits (Marsaglia and Tsang 2000 print the first twelve).
constexpr double kTail = 3.44261985589665212142;
constexpr double kArea = 9.9125630353364610791e-3;

double curve(double x) { return portable_exp(-x * x / 2); }

}  // namespace

UnitNormal::UnitNormal() {
  edge_[0] = kArea / curve(kTail);
  edge_[1] = kTail;
  for (std::size_t i = 2; i < kLayers; ++i) edge_[i] = std::sqrt(-2 * portable_log(kArea / edge_[i - 1] + curve(edge_[i - 1])));
  edge_[kLayers] = 0;
  for (std::size_t i = 0; i <= kLayers; ++i) height_[i] = curve(edge_[i]);
}

void UnitNormal::fill(RandomStream& random, std::span<double> draws) const {
  RandomStream stream = random;   // whose address nobody has, so that it stays in registers
  for (double& draw : draws) {
    const std::uint64_t word = stream();
    const double x = candidate(word);
    if (x < edge_[layer(word) + 1]) {
      draw = with_sign(x, word);
    } else {
      RandomStream rest = stream;
      draw = rare(word, rest);
      stream = rest;
    }
  }
  random = stream;
}

double UnitNormal::rare(std::uint64_t word, RandomStream& random) const {
  for (;; word = random()) {
    const std::size_t i = layer(word);
    const double x = candidate(word);
    if (x < edge_[i + 1]) return with_sign(x, word);
    if (i == 0) return with_sign(tail(random), word);
    if (under_curve(random, i, x)) return with_sign(x, word);
  }
}

/// Chord and tangent decide nearly always: the curve lies between them, above the chord where it is concave (below 1), else below it. (In the
/// layer of the inflection too: its chord is flatter than the steepest tangent.)
bool UnitNormal::under_curve(RandomStream& random, std::size_t layer, double x) const {
  const double u = uniform(random), rise = u * (height_[layer + 1] - height_[layer]), inward = edge_[layer] - x;
  const bool under_chord = u * (edge_[layer] - edge_[layer + 1]) < inward, under_tangent = rise < inward * height_[layer] * edge_[layer];
  if (under_chord && under_tangent) return true;
  if (edge_[layer] >= 1 ? !under_chord : !under_tangent) return false;
  return height_[layer] + rise < curve(x);
}

/// Beyond kTail: an exponential of that rate, accepted with probability exp(-x^2 / 2) (Marsaglia 1964).
double UnitNormal::tail(RandomStream& random) const {
  for (;;) {
    const double x = -portable_log(1 - uniform(random)) / kTail, y = -portable_log(1 - uniform(random));
    if (2 * y > x * x) return kTail + x;
  }
}

RareBinomial::RareBinomial(std::int64_t trials, double p) : trials_(trials), failures_are_rare_(p > 0.5) {
  const double rare = failures_are_rare_ ? 1 - p : p;
  odds_ = rare / (1 - rare);
  none_ = portable_pow(1 - rare, static_cast<double>(trials));
}

std::int64_t RareBinomial::operator()(RandomStream& random) const {
  if (odds_ <= 0) return failures_are_rare_ ? trials_ : 0;
  double u = uniform(random), probability = none_;
  std::int64_t rare = 0;
  // u may outlast the probabilities by their rounding; past the mode and below 2^-60 they change nothing any more.
  while (u >= probability && rare < trials_) {
    u -= probability;
    ++rare;
    const double next = (odds_ * static_cast<double>(trials_ + 1) / static_cast<double>(rare) - odds_) * probability;
    if (next < 0x1p-60 && next <= probability) break;
    probability = next;
  }
  return failures_are_rare_ ? trials_ - rare : rare;
}

}  // namespace moesim
