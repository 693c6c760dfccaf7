// DeepEP's normal kernels: a token crosses the NIC once per other node that it touches, to the GPU of the same number there, which
// forwards it over the scale-up fabric to each rank that needs it. Combine is the way back, with sums where dispatch made copies.
// Waiting for slow peers is not in here: the engine makes it.
#include <algorithm>

#include "base/maths.h"
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
  Traffic(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) : p_(p), to_rank_(ranks.size()) {
    domains_.reserve(p.in_domain.size());
    for (const std::int64_t members : p.in_domain) domains_.push_back({InsideRate(hw, members), members});
    const Spread spread{s.num_experts, s.top_k, s.num_groups > 0 ? s.num_groups : p.domains, s.group_limit};
    const std::int64_t local = s.num_experts / p.ranks;
    const PlaceReach rank(spread, local);
    const double tokens = static_cast<double>(s.tokens_per_rank * p.ranks);
    const double size = static_cast<double>(token_bytes(s.width, s.dtype));
    for (std::size_t j = 0; j < ranks.size(); ++j) {
      Domain& d = domains_[static_cast<std::size_t>(p.domain_of[j])];
      d.copies += ranks[j].received;
      // All tokens of the group that this rank needs, by equal parts from each rank of its domain.
      const double needed = tokens * rank.at(per_token(ranks[j].received, tokens));
      to_rank_[j] = whole_ceil(needed * size / static_cast<double>(d.members));
      d.forwarded += to_rank_[j];
      d.largest = std::max(d.largest, to_rank_[j]);
    }
    std::int64_t members = domains_.front().members;
    PlaceReach reach(spread, local * members);   // as long as domains are of one size
    for (Domain& d : domains_) {
      if (d.members != members) reach = PlaceReach(spread, local * (members = d.members));
      const double needed = static_cast<double>(s.tokens_per_rank) * reach.at(per_token(d.copies, tokens));
      d.needed = whole_ceil(needed * size);
      all_domains_ += d.needed;
    }
    for (Domain& d : domains_) cross(d, hw);
  }

  std::vector<PortLoad> loads(std::span<const RankLoad> ranks) const {
    bool equal = p_.symmetric();
    for (const RankLoad& r : ranks) equal = equal && r.received == ranks.front().received;
    std::vector<PortLoad> out(equal ? 1 : ranks.size());
    for (std::size_t m = 0; m < out.size(); ++m) out[m] = load(m);
    return out;
  }

 private:
  struct Domain {
    InsideRate inside;
    std::int64_t members = 0;
    std::int64_t copies = 0;                      // token copies for its experts
    std::int64_t needed = 0;                      // bytes from one source rank to the domain
    std::int64_t forwarded = 0, largest = 0;      // of to_rank_: from one member to all, itself included; to one
    std::int64_t nic_out = 0, nic_in = 0;         // bytes on the NIC of one member
    double nic_out_seconds = 0, nic_in_seconds = 0;
  };

  static double per_token(std::int64_t copies, double tokens) { return tokens > 0 ? static_cast<double>(copies) / tokens : 0; }

  void cross(Domain& d, const HwProfile& hw) const {
    d.nic_out = all_domains_ - d.needed;
    d.nic_in = share_of(d.needed, p_.ranks - d.members, d.members);
    d.nic_out_seconds = across_seconds(hw, 0, d.nic_out);   // tokens stream in chunks, so a message has no ramp of its own
    d.nic_in_seconds = across_seconds(hw, 0, d.nic_in);
  }

  PortLoad load(std::size_t m) const {
    const Domain& d = domains_[static_cast<std::size_t>(p_.domain_of[m])];
    PortLoad l;
    l.bytes = {d.forwarded - to_rank_[m], (d.members - 1) * to_rank_[m], d.nic_out, d.nic_in};
    l.out_seconds = std::max(d.inside.seconds(l.bytes[0], d.largest), d.nic_out_seconds);
    l.in_seconds = std::max(d.inside.seconds(l.bytes[1], to_rank_[m]), d.nic_in_seconds);
    return l;
  }

  const Placement& p_;
  std::vector<Domain> domains_;
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
