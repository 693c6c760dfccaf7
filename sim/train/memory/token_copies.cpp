#include <algorithm>

#include "moe/dispatch_plan.h"
#include "moe/expert_load.h"
#include "train/layer_settings.h"
#include "train/memory.h"

namespace moesim {
namespace {

constexpr std::int64_t kDraws = 16;  // the mean of the largest of EP ranks settles fast: its own spread is far below its excess

}  // namespace

std::int64_t most_token_copies(const TrainScenario& s) {
  const MoeMlp* moe = s.model.moe();
  if (!moe) return 0;
  const OwnedLayerSettings layer = layer_settings(s);
  const std::int64_t tokens = layer.settings.routed_tokens();
  const std::unique_ptr<LoadLaw> law = load_laws().make(s.moe.load_law);
  const bool balanced = law->exactly_balanced();
  const std::unique_ptr<LoadSampler> sampler = law->sampler({tokens * s.parallel.ep, moe->num_experts, moe->top_k}, s.moe.load);
  const std::int64_t draws = balanced ? 1 : kDraws;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(moe->num_experts));
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    sampler->draw({s.seed, i % s.model.num_layers(), 0, 0, i}, counts);
    const DispatchPlan plan = plan_dispatch(counts, s.parallel.ep, tokens, moe->top_k, s.moe.capacity,
                                            balanced ? SourceSpread::even : SourceSpread::random);
    std::int64_t most = 0;
    for (const RankLoad& r : plan.ranks) most = std::max(most, r.tokens);
    sum += most;
  }
  return ceil_div(sum, draws);
}

}  // namespace moesim
