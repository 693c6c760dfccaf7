// Exact balance. What does not divide is spread over the experts at equal distances, the same in every draw.
#include "moe/expert_load.h"

namespace moesim {
namespace {

class Sampler final : public LoadSampler {
 public:
  explicit Sampler(const LoadShape& shape) : shape_(shape) {}

  void draw(const LoadKey&, std::span<std::int64_t> counts) const override {
    const std::int64_t copies = shape_.tokens * shape_.top_k, whole = copies / shape_.num_experts, rest = copies % shape_.num_experts;
    for (std::int64_t e = 0; e < shape_.num_experts; ++e)   // rest * (e + 1) stays below num_experts^2
      counts[static_cast<std::size_t>(e)] = whole + rest * (e + 1) / shape_.num_experts - rest * e / shape_.num_experts;
  }

 private:
  LoadShape shape_;
};

class Balanced final : public LoadLaw {
 public:
  bool exactly_balanced() const override { return true; }
  std::unique_ptr<LoadSampler> sampler(const LoadShape& shape, const LoadParameters&) const override {
    check_load_shape(shape);
    return std::make_unique<Sampler>(shape);
  }
};

}  // namespace

std::unique_ptr<LoadLaw> make_balanced_load() { return std::make_unique<Balanced>(); }

}  // namespace moesim
