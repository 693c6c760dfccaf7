// Skewed routing: the r-th most popular expert is picked by a share of the tokens that goes as r^-exponent, and no expert by more
// than all of them; what an expert cannot take goes to the others in proportion. Which expert is r-th is drawn once per layer, since a
// router's preferences outlast a step; the counts vary around these shares as those of independent tokens.
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/maths.h"
#include "base/random.h"
#include "moe/count_sampler.h"
#include "moe/expert_load.h"

namespace moesim {
namespace {

/// Probability that a token picks the r-th most popular expert: min(1, c r^-exponent), with c such that they sum to top_k.
std::vector<double> inclusion(const LoadShape& shape, double exponent) {
  std::vector<double> p;
  double rest = 0;
  for (std::int64_t r = 1; r <= shape.num_experts; ++r) rest += p.emplace_back(portable_pow(static_cast<double>(r), -exponent));
  std::size_t full = 0;   // experts that every token picks
  double c = static_cast<double>(shape.top_k) / rest;
  while (full < p.size() && c * p[full] > 1) {
    rest -= p[full++];
    c = full < static_cast<std::size_t>(shape.top_k) ? (static_cast<double>(shape.top_k) - static_cast<double>(full)) / rest : 0;
  }
  for (std::size_t r = 0; r < p.size(); ++r) p[r] = r < full ? 1 : c * p[r];
  return p;
}

class Sampler final : public LoadSampler {
 public:
  Sampler(const LoadShape& shape, double exponent) : counts_(shape.tokens, shape.top_k, inclusion(shape, exponent)) {}

  void draw(const LoadKey& key, std::span<std::int64_t> counts) const override {
    std::vector<std::int64_t> by_rank(counts.size());
    RandomStream random(key.seed, "moe.load.zipf", {key.layer, key.step, key.micro_batch, key.group});
    counts_.draw(random, by_rank);
    RandomStream order(key.seed, "moe.load.zipf.order", {key.layer});
    std::vector<std::uint32_t> expert(counts.size());
    std::iota(expert.begin(), expert.end(), 0u);
    for (std::size_t n = expert.size(); n > 0; --n) {
      std::swap(expert[n - 1], expert[static_cast<std::size_t>(((order() >> 32) * n) >> 32)]);
      counts[expert[n - 1]] = by_rank[n - 1];
    }
  }

 private:
  CountSampler counts_;
};

class Zipf final : public LoadLaw {
 public:
  bool exactly_balanced() const override { return false; }
  std::unique_ptr<LoadSampler> sampler(const LoadShape& shape, const LoadParameters& parameters) const override {
    check_load_shape(shape);
    if (!(parameters.exponent >= 0 && parameters.exponent <= 10)) {
      std::ostringstream found;
      found << parameters.exponent;
      throw InputError("exponent: found " + found.str() + ", allowed is 0 to 10");
    }
    return std::make_unique<Sampler>(shape, parameters.exponent);
  }
};

}  // namespace

std::unique_ptr<LoadLaw> make_zipf_load() { return std::make_unique<Zipf>(); }

}  // namespace moesim
