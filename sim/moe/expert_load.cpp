#include "moe/expert_load.h"

#include <string>

#include "base/error.h"

namespace moesim {

#define MOESIM_LOAD_LAW(maker, name, help) std::unique_ptr<LoadLaw> maker();
#include "moe/builtin.def"
#undef MOESIM_LOAD_LAW

Registry<LoadLaw> load_laws() {
  Registry<LoadLaw> out("load law");
#define MOESIM_LOAD_LAW(maker, name, help) out.add(name, help, maker);
#include "moe/builtin.def"
#undef MOESIM_LOAD_LAW
  return out;
}

void check_load_shape(const LoadShape& shape) {
  constexpr std::int64_t kMostExperts = std::int64_t{1} << 20, kMostTokens = std::int64_t{1} << 40;
  if (shape.num_experts < 1 || shape.num_experts > kMostExperts)
    throw InputError("num_experts: found " + std::to_string(shape.num_experts) + ", allowed is 1 to " + std::to_string(kMostExperts));
  if (shape.top_k < 1 || shape.top_k > shape.num_experts)
    throw InputError("top_k: found " + std::to_string(shape.top_k) + ", allowed is 1 to num_experts = " + std::to_string(shape.num_experts));
  if (shape.tokens < 0 || shape.tokens > kMostTokens)
    throw InputError("tokens of an expert-parallel group: found " + std::to_string(shape.tokens) + ", allowed is 0 to " +
                     std::to_string(kMostTokens));
}

}  // namespace moesim
