// Counts per expert when every token picks top_k distinct experts and expert e is among them with probability `inclusion[e]`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/draws.h"

namespace moesim {

/// Draws whose marginal mean and variance are those of independent tokens: mean T p, variance T p (1 - p); the sum is T * top_k in
/// every draw. If top_k is more than half the experts, those not picked are drawn instead. Two regimes:
///  * few tokens (at most kTokenDraws picks per expert on average): token by token, by the ordered pivotal method (Deville and Tille 1998): the
///    experts lie one after another on [0, top_k), as long as their inclusion probability, and each unit interval picks one. Marginals
///    exact, picks distinct.
///  * many: one normal an expert with the skewness of the binomial, conditioned on the sum (for equal probabilities this gives the
///    covariance of k-subsets, -variance / (experts - 1)); experts near no tokens or near all of them by binomials. Rounding adds up to
///    1/6 to a variance.
class CountSampler {
 public:
  static constexpr std::int64_t kTokenDraws = 8;

  /// `inclusion` in [0, 1], sums to top_k up to rounding.
  CountSampler(std::int64_t tokens, std::int64_t top_k, std::vector<double> inclusion);

  /// True in the first regime.
  bool few() const { return few_; }
  void draw(RandomStream&, std::span<std::int64_t> counts) const;

 private:
  struct Expert {
    std::uint32_t index = 0;
    double mean = 0;
    double spread = 0;       // deviation of the unconditioned normal, less what its skewness adds
    double share = 0;        // of the correction that makes the sum exact
    double skew = 0;         // skewness / 6
  };
  struct Light {
    std::uint32_t index;
    RareBinomial count;
  };
  struct Slot {              // one unit interval of [0, top_k)
    std::uint32_t straddler = 0;   // expert that also lies in the slot before
    double here = 0;               // its length here, 0: none
    double after_miss = 0;         // its probability here if the slot before did not pick it
    double stretch = 0;            // of what lies past after_miss onto what lies past `here`
  };

  void prepare_tokens();
  void prepare_normals();
  void solve_variances(double light);
  void draw_tokens(RandomStream&, std::span<std::int64_t> counts) const;
  void draw_normals(RandomStream&, std::span<std::int64_t> counts) const;
  std::uint32_t expert_at(double x, std::uint32_t first) const;

  std::int64_t tokens_, top_k_;
  std::vector<double> inclusion_;
  bool complement_, few_;
  std::vector<double> end_;              // few: where each expert ends on [0, top_k)
  std::vector<std::uint32_t> guide_;     // few: first expert that may lie in cell g
  double cells_ = 0;                     // few: cells a unit of length
  std::vector<Slot> slots_;              // few
  std::vector<Light> light_;             // many: drawn as binomials
  std::vector<Expert> heavy_;            // many: drawn as normals
  UnitNormal normal_;
};

/// Moves counts into [0, most] and keeps their sum, which must be possible.
void settle_counts(std::span<std::int64_t> counts, std::int64_t most);

}  // namespace moesim
