#include "collective/fused_exchange.h"

#include <algorithm>
#include <limits>

#include "base/maths.h"
#include "collective/pairwise.h"
#include "collective/spread.h"
#include "collective/uplinks.h"

namespace moesim {
namespace {

/// What a group's domains of one size have in common.
class DomainKind {
 public:
  DomainKind(const ExchangeShape& s, const Spread& spread, std::int64_t of, std::int64_t ranks, const HwProfile& hw, double up)
      : inside(hw, of, up), members(of), tokens_(static_cast<double>(s.tokens_per_rank * ranks)), from_each_(static_cast<double>(s.tokens_per_rank)),
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
  Exchange(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw, const FusedTimes& times)
      : combine_(way == ExchangeWay::combine), symmetric_(p.symmetric()), ranks_(p.ranks), placement_(p), hw_(hw), times_(times),
        peak_(hw, {std::min(1.0, times.up), std::min(1.0, times.out)}), nic_rate_(hw.scale_out.per_gpu.value.count() * times.out), domains_(p.in_domain.size()) {
    const Spread spread{s.num_experts, s.top_k, s.num_groups > 0 ? s.num_groups : p.domains, s.group_limit};
    for (std::size_t d = 0; d < domains_.size(); ++d) domains_[d].kind = kind(p.in_domain[d], s, spread);
    for (std::uint32_t m = 0; m < p.domain_of.size(); ++m) domains_[static_cast<std::size_t>(p.domain_of[m])].members.push_back(m);
    out_.taken = peak_.taken();
    out_.latency = times.start;
    to_rank_.resize(static_cast<std::size_t>(p.ranks));
    for (Domain& d : domains_) {
      const std::int64_t to = kinds_[d.kind].to_rank(s.tokens_per_rank * s.top_k);
      even_ += to * kinds_[d.kind].members;
      d.by_sms = to > 0 ? times.by_sms / static_cast<double>(to) : 0;
    }
    by_sms_ = even_ > 0 ? times.by_sms / static_cast<double>(even_) : 0;
  }

  const Transfer& at(std::span<const RankLoad> ranks) override {
    std::int64_t to_all = 0, forwarded = 0;
    for (Domain& d : domains_) {
      to_all += add_up(d, ranks);
      forwarded += d.forwarded;
    }
    source_ = by_sms_ * static_cast<double>(forwarded);
    sent_ = 0;
    for (Domain& d : domains_) {
      cross(d, to_all);
      sent_ = std::max(sent_, slowest_sender(d));
    }
    if (placement_.cut) cross_places();
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
    double by_sms = 0;                                       // seconds that the SMs of a member need for a byte of to_rank_
    std::int64_t needed = 0;                                 // bytes from one source rank to the domain
    std::int64_t forwarded = 0, largest = 0, least = 0;      // of to_rank_: from one member to all, itself included; to one
    std::int64_t nic_out = 0, nic_in = 0;                    // bytes on the NIC of one member, as a dispatch has them
  };

  std::size_t kind(std::int64_t members, const ExchangeShape& s, const Spread& spread) {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].members == members) return k;
    kinds_.emplace_back(s, spread, members, ranks_, hw_, times_.up);
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

  /// A token crosses to another domain once, wherever that is.
  void cross_places() {
    std::vector<std::int64_t> to_domain;
    for (const Domain& d : domains_) to_domain.push_back(d.needed);
    Uplinks uplinks(placement_);
    uplinks.from_all(to_domain);
    uplinks_ = uplinks.of_each_member();
  }

  // What a dispatch puts on the fabric inside a domain: a member forwards to the others, and is forwarded to by them.
  double forwarding(const Domain& d, std::int64_t to_rank) const { return kinds_[d.kind].inside.seconds(d.forwarded - to_rank, d.largest); }
  double forwarded_to(const Domain& d, std::int64_t to_rank) const { return kinds_[d.kind].inside.seconds((kinds_[d.kind].members - 1) * to_rank, to_rank); }
  /// On the NIC tokens stream in chunks, so a message has no ramp of its own.
  double nic(std::int64_t bytes) const { return static_cast<double>(bytes) / nic_rate_; }
  double hindered(double by_sms, double by_link) const { return together(by_sms, by_link, times_.doublings); }
  /// What the SMs of the expert's side need for what one member gives or takes of `to`.
  static double at_expert(const Domain& d, std::int64_t to) { return d.by_sms * static_cast<double>(to); }

  double slowest_sender(const Domain& d) const {
    return combine_ ? hindered(at_expert(d, d.largest), std::max(forwarded_to(d, d.largest), nic(d.nic_in)))
                    : hindered(source_, std::max(forwarding(d, d.least), nic(d.nic_out)));
  }

  double arrival(const Domain& d, std::int64_t to) const {
    return combine_ ? hindered(source_, forwarding(d, to)) : hindered(at_expert(d, to), forwarded_to(d, to));
  }

  /// A member ends when the slowest sender has sent and all that is meant for it has arrived.
  void arrive(const Domain& d) {
    const double at_least = std::max(sent_, nic(combine_ ? d.nic_out : d.nic_in));
    const Time at_least_time = time_from_seconds(at_least + times_.filling);
    // Often the whole domain ends at one time: a look at its largest loads tells.
    const bool ends_together = arrival(d, combine_ ? d.least : d.largest) <= at_least;
    const bool below_peak = peak_.not_before(at_least_time, heaviest(d)) == at_least_time;
    const std::int64_t forwarded = d.forwarded, peers = kinds_[d.kind].members - 1, nic_out = d.nic_out, nic_in = d.nic_in;
    Time last = out_.span;
    for (const std::uint32_t i : d.members) {
      const std::int64_t to = to_rank_[i], out = forwarded - to, in = peers * to;
      const Time done = ends_together ? at_least_time : time_from_seconds(std::max(at_least, arrival(d, to)) + times_.filling);
      Transfer::Member& m = out_.members[i];
      if (combine_) m = {{in, out, nic_in, nic_out, uplinks_[1], uplinks_[0]}, done};
      else m = {{out, in, nic_out, nic_in, uplinks_[0], uplinks_[1]}, done};
      if (!below_peak) m.done = peak_.not_before(done, m);
      last = std::max(last, m.done);
    }
    out_.span = last;
  }

  /// The most that any member carries on each port, up to the direction.
  Transfer::Member heaviest(const Domain& d) const {
    return {{d.forwarded - d.least, (kinds_[d.kind].members - 1) * d.largest, d.nic_out, d.nic_in, uplinks_[0], uplinks_[1]}, {}};
  }

  bool combine_, symmetric_;
  std::int64_t ranks_;
  const Placement& placement_;
  const HwProfile& hw_;
  FusedTimes times_;
  PeakRates peak_;
  double nic_rate_;                        // bytes a second that the kernels reach
  std::vector<DomainKind> kinds_;
  std::vector<Domain> domains_;
  std::vector<std::int64_t> to_rank_;      // bytes to each rank, from one member of its domain
  std::int64_t even_ = 0;                  // of to_rank_ over all ranks, when the load is even
  double by_sms_ = 0, source_ = 0;         // seconds that the SMs of a source need: for a byte of that, and for this load
  std::array<std::int64_t, 2> uplinks_{};  // bytes of each member over the uplinks of its place, as a dispatch has them
  double sent_ = 0;                        // seconds until the slowest sender has sent
  Transfer out_;
};

class Alone final : public PreparedExchange {
 public:
  const Transfer& at(std::span<const RankLoad>) override { return out_; }

 private:
  Transfer out_{{}, {}, {Transfer::Member{}}};
};

}  // namespace

std::unique_ptr<PreparedExchange> fused_exchange(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw, const FusedTimes& times) {
  return std::make_unique<Exchange>(way, s, p, hw, times);
}

const ExchangeCurves* exchange_curves(const HwProfile& hw) {
  return hw.measured.curves && hw.measured.curves->exchanges ? &*hw.measured.curves->exchanges : nullptr;
}

std::unique_ptr<PreparedExchange> no_exchange() { return std::make_unique<Alone>(); }

ExchangeWork even_work(const ExchangeShape& s, const Placement& p) {
  const Spread spread{s.num_experts, s.top_k, s.num_groups > 0 ? s.num_groups : p.domains, s.group_limit};
  ExchangeWork w;
  w.tokens = static_cast<double>(s.tokens_per_rank);
  w.bytes = static_cast<double>(token_bytes(s.width, s.dtype));
  w.copies = static_cast<double>(p.ranks) * spread.reach(s.num_experts / p.ranks);
  w.nodes_reached = 0;
  for (const std::int64_t members : p.in_domain) w.nodes_reached += spread.reach(s.num_experts / p.ranks * members);
  w.ranks = static_cast<double>(p.ranks), w.nodes = static_cast<double>(p.domains);
  w.experts = static_cast<double>(s.num_experts), w.top_k = static_cast<double>(s.top_k);
  return w;
}

}  // namespace moesim
