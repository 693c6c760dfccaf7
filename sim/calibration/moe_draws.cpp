#include "calibration/moe_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/draws.h"
#include "base/maths.h"

namespace moesim {
namespace {

using Counts = std::vector<std::int32_t>;
using Experts = std::vector<std::int32_t>;

constexpr int kDraws = 100;          // expectation to a tenth of what one draw scatters
constexpr int kGroupedDraws = 32;    // routing each token costs more
constexpr std::int64_t kGroups = 8, kKeptGroups = 4;

std::int64_t local_experts(const MoeDeal& d) { return std::max<std::int64_t>(1, d.experts / d.ep); }

std::int64_t stride_of(const MoeDeal& d) { return (d.experts + d.top_k - 1) / d.top_k; }

/// First pick of token `t`; the others follow at the stride.
std::int64_t first_pick(const MoeDeal& d, std::int64_t t) { return d.tokens >= stride_of(d) ? t % d.experts : t * stride_of(d) / d.tokens; }

Counts balanced(const MoeDeal& d) {
  Counts out(static_cast<std::size_t>(d.experts), 0);
  const std::int64_t rounds = d.tokens / d.experts;   // in which each expert is everybody's pick as often
  for (std::int64_t t = rounds * d.experts; t < d.tokens; ++t)
    for (std::int64_t i = 0; i < d.top_k; ++i) ++out[static_cast<std::size_t>((first_pick(d, t) + i * stride_of(d)) % d.experts)];
  for (std::int32_t& c : out) c += static_cast<std::int32_t>(rounds * d.top_k);
  return out;
}

double bounded_power(double u, double low, double high, double alpha) {
  const double power = 1 - alpha;
  if (std::abs(power) < 1e-9) return low * portable_pow(high / low, u);
  const double a = portable_pow(low, power), b = portable_pow(high, power);
  return portable_pow(a + (b - a) * u, 1 / power);
}

/// Adds `missing` (or takes away -missing) in turn, from the largest (smallest) on.
void settle(Counts& counts, std::int64_t missing) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  for (std::size_t i = 0; missing > 0; ++i, --missing) ++counts[order[i % order.size()]];
  for (std::size_t i = 0; missing < 0; ++i, ++missing) {
    std::int32_t& c = counts[order[order.size() - 1 - i % order.size()]];
    --(c > 0 ? c : *std::max_element(counts.begin(), counts.end()));
  }
}

Counts power_law(const MoeDeal& d, RandomStream& random) {
  const std::int64_t pairs = d.tokens * d.top_k;
  const bool many = pairs > d.experts;
  const double low = many ? 1 : 0.01, high = many ? std::max(0.8 * static_cast<double>(d.tokens), 1.0001) : 2;
  std::vector<double> x;
  for (std::int64_t e = 0; e < d.experts; ++e) x.push_back(bounded_power(uniform(random), low, high, d.alpha));
  const double scale = static_cast<double>(pairs) / std::accumulate(x.begin(), x.end(), 0.0);
  Counts out;
  for (const double each : x) out.push_back(static_cast<std::int32_t>(whole_floor(each * scale + 0.5)));
  settle(out, pairs - std::accumulate(out.begin(), out.end(), std::int64_t{0}));
  for (std::int32_t& c : out) c = static_cast<std::int32_t>(std::min<std::int64_t>(c, d.tokens));
  return out;
}

/// The rank with most tokens changes places with the first.
void heaviest_first(Counts& counts, std::int64_t local) {
  const auto begin = counts.begin();
  std::int64_t best = 0, most = -1;
  for (std::int64_t first = 0; first + local <= static_cast<std::int64_t>(counts.size()); first += local)
    if (const std::int64_t sum = std::accumulate(begin + first, begin + first + local, std::int64_t{0}); sum > most) best = first, most = sum;
  if (best != 0) std::swap_ranges(begin, begin + local, begin + best);
}

/// Routes tokens that were dealt the same experts.
class GroupedRouter {
 public:
  explicit GroupedRouter(const MoeDeal& d) : deal_(d), group_(d.experts / kGroups), counts_(static_cast<std::size_t>(d.experts), 0) {}

  void route(const Experts& dealt, std::int64_t tokens) {
    std::vector<char> kept(static_cast<std::size_t>(kGroups), 0), taken(counts_.size(), 0);
    keep_groups(dealt, kept);
    std::int64_t left = deal_.top_k;
    for (const std::int32_t e : dealt)
      if (left > 0 && is_kept(kept, e) && !taken[static_cast<std::size_t>(e)]) take(e, tokens, taken), --left;
    for (std::int64_t e = 0; e < kGroups * group_ && left > 0; ++e)
      if (is_kept(kept, static_cast<std::int32_t>(e)) && !taken[static_cast<std::size_t>(e)]) take(static_cast<std::int32_t>(e), tokens, taken), --left;
  }

  const Counts& counts() const { return counts_; }

 private:
  bool is_kept(const std::vector<char>& kept, std::int32_t e) const {
    const std::int64_t g = e / group_;
    return g < kGroups && kept[static_cast<std::size_t>(g)];
  }

  void take(std::int32_t e, std::int64_t tokens, std::vector<char>& taken) {
    taken[static_cast<std::size_t>(e)] = 1;
    counts_[static_cast<std::size_t>(e)] += static_cast<std::int32_t>(tokens);
  }

  void keep_groups(const Experts& dealt, std::vector<char>& kept) const {
    std::array<int, kGroups> score{};   // of the two best: dealt experts are worth more than all others
    for (const std::int32_t e : dealt)
      if (e / group_ < kGroups) score[static_cast<std::size_t>(e / group_)] = std::min(2, score[static_cast<std::size_t>(e / group_)] + 1);
    std::int64_t left = kKeptGroups;
    for (int level = 2; level >= 0; --level)
      for (std::size_t g = 0; g < score.size() && left > 0; ++g)
        if (score[g] == level) kept[g] = 1, --left;
  }

  MoeDeal deal_;
  std::int64_t group_;
  Counts counts_;
};

/// Of balanced tokens: those with equal picks together.
Counts grouped_balanced(const MoeDeal& d) {
  GroupedRouter router(d);
  const std::int64_t kinds = std::min(d.tokens, d.experts);
  for (std::int64_t t = 0; t < kinds; ++t) {
    Experts dealt;
    for (std::int64_t i = 0; i < d.top_k; ++i) dealt.push_back(static_cast<std::int32_t>((first_pick(d, t) + i * stride_of(d)) % d.experts));
    router.route(dealt, (d.tokens - t - 1) / kinds + 1);
  }
  return router.counts();
}

/// Of drawn counts: experts stand in line, the most popular first, each as often as it has tokens; token t gets those at t, t + tokens,
/// t + 2 tokens, ... So tokens with popular experts have no room for many others, and groups of experts see each other's tokens.
Counts grouped_drawn(const MoeDeal& d, const Counts& counts) {
  Experts line(counts.size());
  std::iota(line.begin(), line.end(), 0);
  std::stable_sort(line.begin(), line.end(), [&](std::int32_t a, std::int32_t b) { return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)]; });
  std::vector<std::int64_t> ends, cuts{0, d.tokens};
  for (const std::int32_t e : line) ends.push_back((ends.empty() ? 0 : ends.back()) + counts[static_cast<std::size_t>(e)]);
  for (const std::int64_t end : ends) cuts.push_back(end % d.tokens);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  GroupedRouter router(d);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    Experts dealt;
    for (std::int64_t place = cuts[i]; place < ends.back() && std::ssize(dealt) < d.top_k; place += d.tokens)
      dealt.push_back(line[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), place) - ends.begin())]);
    router.route(dealt, cuts[i + 1] - cuts[i]);
  }
  return router.counts();
}

/// With one expert a group there are no two best scores, and the kernels send every pair to the first expert.
bool collapses(const MoeDeal& d) { return d.experts / kGroups < 2; }

Counts routed(const MoeDeal& d, Counts dealt) {
  if (d.alpha > 0) heaviest_first(dealt, local_experts(d));
  if (d.routing == MoeRouting::dealt) return dealt;
  if (!collapses(d)) return d.alpha > 0 ? grouped_drawn(d, dealt) : grouped_balanced(d);
  Counts out(dealt.size(), 0);
  out[0] = static_cast<std::int32_t>(d.tokens * d.top_k);
  return out;
}

MoeLoad load_of(const MoeDeal& d, const Counts& counts) {
  const std::vector<std::int64_t> local(counts.begin(), counts.begin() + local_experts(d));
  return moe_load(local);
}

MoeLoad mean_of(const std::vector<MoeLoad>& loads) {
  MoeLoad out;
  const double share = 1 / static_cast<double>(loads.size());
  for (const MoeLoad& l : loads)
    for (double MoeLoad::*member : {&MoeLoad::rows, &MoeLoad::touched, &MoeLoad::tiles, &MoeLoad::hottest}) out.*member += share * (l.*member);
  return out;
}

}  // namespace

const std::vector<Counts>& MoeDraws::counts(const MoeDeal& d) {
  std::vector<Counts>& out = counts_[{d.tokens, d.top_k, d.experts, d.alpha}];
  if (!out.empty()) return out;
  if (d.alpha <= 0) {
    out.push_back(balanced(d));
    return out;
  }
  for (int i = 0; i < kDraws; ++i) {
    RandomStream random(0, "moe table", {d.tokens, d.top_k, d.experts, static_cast<std::int64_t>(d.alpha * 1e6), i});
    out.push_back(power_law(d, random));
  }
  return out;
}

std::shared_ptr<const MoeLoads> MoeDraws::loads(const MoeDeal& d) {
  std::shared_ptr<const MoeLoads>& out = loads_[d.key()];
  if (out) return out;
  auto made = std::make_shared<MoeLoads>();
  const std::vector<Counts>& dealt = counts(d);
  const std::size_t draws = d.routing == MoeRouting::dealt ? dealt.size() : std::min<std::size_t>(dealt.size(), kGroupedDraws);
  for (std::size_t i = 0; i < draws; ++i) made->draws.push_back(load_of(d, routed(d, dealt[i])));
  made->mean = mean_of(made->draws);
  return out = std::move(made);
}

}  // namespace moesim
