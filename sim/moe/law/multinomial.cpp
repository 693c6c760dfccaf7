// Megatron's forced load balancing: random logits, so every token picks a uniform top_k-subset, independent of the others. Counts then
// have mean T k / E, relative deviation sqrt((1 - k/E) / (T k / E)) and covariance -variance / (E - 1).
#include <algorithm>
#include <vector>

#include "base/random.h"
#include "moe/count_sampler.h"
#include "moe/expert_load.h"

namespace moesim {
namespace {

class Sampler final : public LoadSampler {
 public:
  explicit Sampler(const LoadShape& shape)
      : shape_(shape),
        counts_(shape.tokens, shape.top_k,
                std::vector<double>(static_cast<std::size_t>(shape.num_experts),
                                    static_cast<double>(shape.top_k) / static_cast<double>(shape.num_experts))) {}

  void draw(const LoadKey& key, std::span<std::int64_t> counts) const override {
    RandomStream random(key.seed, "moe.load.multinomial", {key.layer, key.step, key.micro_batch, key.group});
    if (counts_.few()) {
      draw_subsets(random, counts);
    } else {
      counts_.draw(random, counts);
    }
  }

 private:
  /// Token by token, by rejection of experts already picked; of a large subset its small complement is drawn.
  void draw_subsets(RandomStream& random, std::span<std::int64_t> counts) const {
    const std::int64_t n = shape_.num_experts;
    const bool complement = 2 * shape_.top_k > n;
    const std::int64_t picks = complement ? n - shape_.top_k : shape_.top_k, step = complement ? -1 : 1;
    std::fill(counts.begin(), counts.end(), complement ? shape_.tokens : 0);
    std::vector<std::int64_t> picked_by(counts.size(), -1);
    for (std::int64_t token = 0; token < shape_.tokens; ++token)
      for (std::int64_t left = picks; left > 0;) {
        // An index from 32 bits is off uniform by at most n / 2^32.
        const auto e = static_cast<std::size_t>(((random() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
        if (picked_by[e] == token) continue;
        picked_by[e] = token;
        counts[e] += step;
        --left;
      }
  }

  LoadShape shape_;
  CountSampler counts_;
};

class Multinomial final : public LoadLaw {
 public:
  bool exactly_balanced() const override { return false; }
  std::unique_ptr<LoadSampler> sampler(const LoadShape& shape, const LoadParameters&) const override {
    check_load_shape(shape);
    return std::make_unique<Sampler>(shape);
  }
};

}  // namespace

std::unique_ptr<LoadLaw> make_multinomial_load() { return std::make_unique<Multinomial>(); }

}  // namespace moesim
