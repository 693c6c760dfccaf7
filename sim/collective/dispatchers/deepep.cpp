// DeepEP's normal kernels: a token crosses the NIC once per other node that it touches, to the GPU of the same number there, which
// forwards it over the scale-up fabric to each rank that needs it. Combine is the way back, with sums where dispatch made copies.
// Waiting for slow peers is not in here: the engine makes it.
#include <algorithm>
#include <cmath>

#include "collective/dispatcher.h"
#include "collective/pairwise.h"
#include "collective/spread.h"

namespace moesim {
namespace {

// What stays of the measured times as tokens go to 0 (AIConfigurator, DeepEP normal, H100, 24 SMs): 35 us dispatch and 50 us combine on
// one node; one more network stage 17 us (15 to 20); a dispatch over nodes is preceded by notify (35 to 55 us).
constexpr Time kDispatchStart = 35 * kMicrosecond;
constexpr Time kCombineStart = 50 * kMicrosecond;
constexpr Time kNetworkStage = 17 * kMicrosecond;
constexpr Time kNotify = 45 * kMicrosecond;
constexpr std::int64_t kSms = 20;   // DeepEP's default; below, bandwidth falls with the SMs

/// The bytes of one exchange in the direction of dispatch.
class Traffic {
 public:
  Traffic(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw)
      : p_(p), hw_(hw), to_domain_(p.in_domain.size()), forwarded_(p.in_domain.size()), largest_(p.in_domain.size()), to_rank_(ranks.size()) {
    const Spread spread{s.num_experts, s.top_k, s.num_groups > 0 ? s.num_groups : p.domains, s.group_limit};
    const std::int64_t local = s.num_experts / p.ranks;
    const PlaceReach rank(spread, local);
    const double tokens = static_cast<double>(s.tokens_per_rank * p.ranks);
    const double size = static_cast<double>(token_bytes(s.width, s.dtype));
    std::vector<std::int64_t> copies(p.in_domain.size(), 0);
    for (std::size_t j = 0; j < ranks.size(); ++j) {
      const auto d = static_cast<std::size_t>(p.domain_of[j]);
      copies[d] += ranks[j].received;
      // All tokens of the group that this rank needs, by equal parts from each rank of its domain.
      const double needed = tokens * rank.at(per_token(ranks[j].received, tokens));
      to_rank_[j] = bytes(needed * size / static_cast<double>(p.in_domain[d]));
      forwarded_[d] += to_rank_[j];
      largest_[d] = std::max(largest_[d], to_rank_[j]);
    }
    for (std::size_t d = 0; d < copies.size(); ++d) {
      const double needed = static_cast<double>(s.tokens_per_rank) * PlaceReach(spread, local * p.in_domain[d]).at(per_token(copies[d], tokens));
      to_domain_[d] = bytes(needed * size);
      all_domains_ += to_domain_[d];
    }
  }

  std::vector<PortLoad> loads(std::span<const RankLoad> ranks) const {
    bool equal = p_.symmetric();
    for (const RankLoad& r : ranks) equal = equal && r.received == ranks.front().received;
    std::vector<PortLoad> out;
    for (std::size_t m = 0; m < (equal ? 1 : ranks.size()); ++m) out.push_back(load(m));
    return out;
  }

 private:
  static double per_token(std::int64_t copies, double tokens) { return tokens > 0 ? static_cast<double>(copies) / tokens : 0; }
  static std::int64_t bytes(double b) { return static_cast<std::int64_t>(std::ceil(b)); }

  PortLoad load(std::size_t m) const {
    const auto d = static_cast<std::size_t>(p_.domain_of[m]);
    const std::int64_t beside = p_.in_domain[d];
    PortLoad l;
    l.bytes = {forwarded_[d] - to_rank_[m], (beside - 1) * to_rank_[m], all_domains_ - to_domain_[d],
               share_of(to_domain_[d], p_.ranks - beside, beside)};
    // Tokens stream in chunks, so a message has no ramp of its own.
    l.out_seconds = std::max(inside_seconds(hw_, beside, l.bytes[0], largest_[d]), across_seconds(hw_, 0, l.bytes[2]));
    l.in_seconds = std::max(inside_seconds(hw_, beside, l.bytes[1], to_rank_[m]), across_seconds(hw_, 0, l.bytes[3]));
    return l;
  }

  const Placement& p_;
  const HwProfile& hw_;
  std::vector<std::int64_t> to_domain_;    // from one source rank, to each domain
  std::vector<std::int64_t> forwarded_;    // in each domain, from one member to all, itself included
  std::vector<std::int64_t> largest_;      // of to_rank_ in each domain
  std::vector<std::int64_t> to_rank_;      // to each rank, from one member of its domain
  std::int64_t all_domains_ = 0;
};

class DeepEp final : public Dispatcher {
 public:
  Transfer dispatch(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return {{}, {}, {Transfer::Member{}}};
    const Time network = p.domains > 1 ? kNetworkStage + kNotify : Time{0};
    return to_transfer(kDispatchStart + network, Traffic(s, ranks, p, hw).loads(ranks), 1, hw);
  }

  Transfer combine(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return {{}, {}, {Transfer::Member{}}};
    std::vector<PortLoad> back = Traffic(s, ranks, p, hw).loads(ranks);
    reverse(back);
    return to_transfer(kCombineStart + (p.domains > 1 ? kNetworkStage : Time{0}), back, 1, hw);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  std::int64_t sms() const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_deepep_dispatcher() { return std::make_unique<DeepEp>(); }

}  // namespace moesim
