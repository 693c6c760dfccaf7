// How many tokens the experts of the timed rank got: tables of MoE layers say only by which rule tokens were dealt out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "calibration/timed_series.h"
#include "cost/moe_layer.h"

namespace moesim {

/// Who chooses experts: the benchmark, as it dealt them out, or the kernel itself, from scores that are alike but for the dealt ones, by
/// DeepSeek's rule: the 4 of 8 groups of experts whose two best scores are highest, then top-k in them; of equals the first.
enum class MoeRouting : std::uint8_t { dealt, grouped };

struct MoeDeal {
  std::int64_t tokens = 1, top_k = 1, experts = 1, ep = 1;   // tokens of the whole group
  double alpha = 0;                                          // of the power law; 0 = balanced
  MoeRouting routing = MoeRouting::dealt;
  auto key() const { return std::tuple(tokens, top_k, experts, ep, alpha, routing); }
};

/// Loads of the timed rank, each as likely as the others; one where nothing is drawn.
struct MoeLoads : CaseDetail {
  std::vector<MoeLoad> draws;
  MoeLoad mean;
};

/// Tokens dealt to each expert. balanced: token t picks t + i * stride for i < top_k, stride = experts / top_k rounded up; fewer tokens than the
/// stride are spread over it. Power law: counts from a density x^-alpha on [1, 0.8 tokens], or [0.01, 2] where there are no more pairs than
/// experts, scaled to tokens * top_k, at most `tokens` each; then the rank with most changes places with rank 0, which is the timed one.
class MoeDraws {
 public:
  std::shared_ptr<const MoeLoads> loads(const MoeDeal&);

 private:
  using Counts = std::vector<std::int32_t>;
  const std::vector<Counts>& counts(const MoeDeal&);

  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, double>, std::vector<Counts>> counts_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, MoeRouting>, std::shared_ptr<const MoeLoads>> loads_;
};

}  // namespace moesim
