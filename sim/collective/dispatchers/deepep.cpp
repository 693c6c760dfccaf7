// DeepEP's normal kernels: a token crosses the NIC once per other node that it touches, to the GPU of the same number there, which
// forwards it over the scale-up fabric to each rank that needs it. Combine is the way back, with sums where dispatch made copies.
// Waiting for slow peers is not in here: the engine makes it.
#include <algorithm>
#include <limits>

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

/// What a group's domains of one size have in common.
class DomainKind {
 public:
  DomainKind(const ExchangeShape& s, const Spread& spread, std::int64_t of, std::int64_t ranks, const HwProfile& hw)
      : inside(hw, of), members(of), tokens_(static_cast<double>(s.tokens_per_rank * ranks)), from_each_(static_cast<double>(s.tokens_per_rank)),
        size_(static_cast<double>(token_bytes(s.width, s.dtype))), rank_(spread, s.num_experts / ranks), domain_(spread, s.num_experts / ranks * of),
        known_(kKnown) {}

  /// Bytes of all tokens of the group that a rank with `received` copies needs, by equal parts from each rank of its domain: one part.
  /// Loads differ little from rank to rank and from draw to draw, so most have been asked for before.
  std::int64_t to_rank(std::int64_t received) {
    Known& k = known_[static_cast<std::size_t>(received) % kKnown];
    if (k.received != received) k = {received, whole_ceil(tokens_ * rank_.at(per_token(received)) * size_ / static_cast<double>(members))};
    return k.bytes;
  }

  /// Bytes from one source rank to a domain for whose experts there are `copies`.
  std::int64_t to_domain(std::int64_t copies) const { return whole_ceil(from_each_ * domain_.at(per_token(copies)) * size_); }

  InsideRate inside;
  std::int64_t members;

 private:
  struct Known { std::int64_t received = -1, bytes = 0; };
  static constexpr std::size_t kKnown = 2048;
  double per_token(std::int64_t copies) const { return tokens_ > 0 ? static_cast<double>(copies) / tokens_ : 0; }

  double tokens_, from_each_, size_;   // tokens of the group, of one rank; bytes of one
  PlaceReach rank_, domain_;
  std::vector<Known> known_;
};

class Exchange final : public PreparedExchange {
 public:
  Exchange(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw)
      : combine_(way == ExchangeWay::combine), symmetric_(p.symmetric()), ranks_(p.ranks), hw_(hw), peak_(hw, all_to_all_reach(hw)), domains_(p.in_domain.size()) {
    const Spread spread{s.num_experts, s.top_k, s.num_groups > 0 ? s.num_groups : p.domains, s.group_limit};
    for (std::size_t d = 0; d < domains_.size(); ++d) domains_[d].kind = kind(p.in_domain[d], s, spread);
    for (std::uint32_t m = 0; m < p.domain_of.size(); ++m) domains_[static_cast<std::size_t>(p.domain_of[m])].members.push_back(m);
    const Time network = p.domains == 1 ? Time{0} : combine_ ? kNetworkStage : kNetworkStage + kNotify;
    out_.taken = peak_.taken();
    out_.latency = (combine_ ? kCombineStart : kDispatchStart) + network;
    to_rank_.resize(static_cast<std::size_t>(p.ranks));
  }

  const Transfer& at(std::span<const RankLoad> ranks) override {
    std::int64_t to_all = 0;
    for (Domain& d : domains_) to_all += add_up(d, ranks);
    sent_ = 0;
    for (Domain& d : domains_) {
      cross(d, to_all);
      sent_ = std::max(sent_, slowest_sender(d));
    }
    out_.span = Time{0};
    out_.members.resize(ranks.size());
    for (const Domain& d : domains_) arrive(d);
    if (symmetric_ && std::all_of(ranks.begin(), ranks.end(), [&](const RankLoad& r) { return r.received == ranks.front().received; }))
      out_.members.resize(1);
    return out_;
  }

 private:
  struct Domain {
    std::size_t kind = 0;
    std::vector<std::uint32_t> members;
    std::int64_t needed = 0;                                 // bytes from one source rank to the domain
    std::int64_t forwarded = 0, largest = 0, least = 0;      // of to_rank_: from one member to all, itself included; to one
    std::int64_t nic_out = 0, nic_in = 0;                    // bytes on the NIC of one member, as a dispatch has them
  };

  std::size_t kind(std::int64_t members, const ExchangeShape& s, const Spread& spread) {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].members == members) return k;
    kinds_.emplace_back(s, spread, members, ranks_, hw_);
    return kinds_.size() - 1;
  }

  /// Returns what one source rank sends to the domain.
  std::int64_t add_up(Domain& d, std::span<const RankLoad> ranks) {
    DomainKind& kind = kinds_[d.kind];
    std::int64_t copies = 0, forwarded = 0, largest = 0, least = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t m : d.members) {
      const std::int64_t to = to_rank_[m] = kind.to_rank(ranks[m].received);
      copies += ranks[m].received;
      forwarded += to;
      largest = std::max(largest, to);
      least = std::min(least, to);
    }
    d.forwarded = forwarded;
    d.largest = largest;
    d.least = least;
    return d.needed = kind.to_domain(copies);
  }

  void cross(Domain& d, std::int64_t to_all) const {
    const std::int64_t members = kinds_[d.kind].members;
    d.nic_out = to_all - d.needed;
    d.nic_in = share_of(d.needed, ranks_ - members, members);
  }

  // What a dispatch puts on the fabric inside a domain: a member forwards to the others, and is forwarded to by them.
  double forwarding(const Domain& d, std::int64_t to_rank) const { return kinds_[d.kind].inside.seconds(d.forwarded - to_rank, d.largest); }
  double forwarded_to(const Domain& d, std::int64_t to_rank) const { return kinds_[d.kind].inside.seconds((kinds_[d.kind].members - 1) * to_rank, to_rank); }
  /// On the NIC tokens stream in chunks, so a message has no ramp of its own.
  double nic(std::int64_t bytes) const { return across_seconds(hw_, 0, bytes); }

  double slowest_sender(const Domain& d) const {
    return combine_ ? std::max(forwarded_to(d, d.largest), nic(d.nic_in)) : std::max(forwarding(d, d.least), nic(d.nic_out));
  }

  /// A member ends when the slowest sender has sent and all that is meant for it has arrived.
  void arrive(const Domain& d) {
    const auto arrival = [&](std::int64_t to) { return combine_ ? forwarding(d, to) : forwarded_to(d, to); };
    const double at_least = std::max(sent_, nic(combine_ ? d.nic_out : d.nic_in));
    const Time at_least_time = time_from_seconds(at_least);
    // Often the whole domain ends at one time: a look at its largest loads tells.
    const bool together = arrival(combine_ ? d.least : d.largest) <= at_least;
    const bool below_peak = peak_.not_before(at_least_time, heaviest(d)) == at_least_time;
    const std::int64_t forwarded = d.forwarded, peers = kinds_[d.kind].members - 1, nic_out = d.nic_out, nic_in = d.nic_in;
    Time last = out_.span;
    for (const std::uint32_t i : d.members) {
      const std::int64_t to = to_rank_[i], out = forwarded - to, in = peers * to;
      const Time done = together ? at_least_time : time_from_seconds(std::max(at_least, arrival(to)));
      Transfer::Member& m = out_.members[i];
      if (combine_) m = {{in, out, nic_in, nic_out}, done};
      else m = {{out, in, nic_out, nic_in}, done};
      if (!below_peak) m.done = peak_.not_before(done, m);
      last = std::max(last, m.done);
    }
    out_.span = last;
  }

  /// The most that any member carries on each port, up to the direction.
  Transfer::Member heaviest(const Domain& d) const {
    return {{d.forwarded - d.least, (kinds_[d.kind].members - 1) * d.largest, d.nic_out, d.nic_in}, {}};
  }

  bool combine_, symmetric_;
  std::int64_t ranks_;
  const HwProfile& hw_;
  PeakRates peak_;
  std::vector<DomainKind> kinds_;
  std::vector<Domain> domains_;
  std::vector<std::int64_t> to_rank_;      // bytes to each rank, from one member of its domain
  double sent_ = 0;                        // seconds until the slowest sender has sent
  Transfer out_;
};

class Alone final : public PreparedExchange {
 public:
  const Transfer& at(std::span<const RankLoad>) override { return out_; }

 private:
  Transfer out_{{}, {}, {Transfer::Member{}}};
};

class DeepEp final : public Dispatcher {
 public:
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return std::make_unique<Alone>();
    return std::make_unique<Exchange>(way, s, p, hw);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  std::int64_t sms() const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_deepep_dispatcher() { return std::make_unique<DeepEp>(); }

}  // namespace moesim
