// DeepEP's low-latency kernels, which serving engines decode with: one message a token and expert straight to its rank, over the NIC if it is on another
// node; nothing is sent once for several experts. Buffers have fixed sizes, so the host need not read counts. While messages fly no SM is held; to send and to
// receive all of them are used for some microseconds.
#include <algorithm>

#include "collective/fused_exchange.h"
#include "collective/pairwise.h"

namespace moesim {
namespace {

constexpr std::int64_t kSms = 24;   // not settable: what is left on average, as NCCL's exchange; the kernels are short

struct Times {
  Time start{0};
  double by_sms = 0;
  int doublings = kMostDoublings;
  double up = 1, out = 1;
};

/// On a machine like which none was timed.
Times untimed(bool combine, const Placement& p, const HwProfile& hw) {
  Times out;
  out.start = (combine ? 12 : 14) * kMicrosecond + (p.domains == 1 ? Time{0} : 15 * kMicrosecond);
  out.up = hw.scale_up.all_to_all_efficiency.value, out.out = hw.scale_out.all_to_all_efficiency.value;
  return out;
}

Times timed(bool combine, const ExchangeWork& w, const ExchangeCurves& c) {
  const bool over = w.nodes > 1;
  const ExchangeCurves::LowLatency& kernels = over ? *c.low_latency_over_nodes : *c.low_latency;
  const LowLatencyForm &form = combine ? kernels.combine : kernels.dispatch, &inside = combine ? c.low_latency->combine : c.low_latency->dispatch;
  const double gpus = static_cast<double>(c.gpus);
  Times out;
  out.start = time_from_seconds(form.start(w));
  out.by_sms = form.by_sms(w);
  out.doublings = form.doublings;
  out.up = inside.c[8] * 1e9 * (gpus - 1) / gpus / c.scale_up;
  out.out = over ? form.c[8] * 1e9 / c.scale_out : 1;
  return out;
}

class Exchange final : public PreparedExchange {
 public:
  Exchange(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw, const Times& times)
      : combine_(way == ExchangeWay::combine), p_(p), hw_(hw), times_(times), bytes_(token_bytes(s.width, s.dtype)),
        even_(static_cast<double>(std::max<std::int64_t>(1, s.tokens_per_rank * s.top_k))) {}

  const Transfer& at(std::span<const RankLoad> ranks) override {
    to_.clear();
    largest_.assign(p_.in_domain.size(), 0);
    std::int64_t all = 0;
    for (const RankLoad& r : ranks) {
      std::int64_t& largest = largest_[static_cast<std::size_t>(p_.domain_of[to_.size()])];
      to_.push_back(share_of(r.received, bytes_, p_.ranks));
      largest = std::max(largest, to_.back());
      all += r.received;
    }
    std::vector<PortLoad> loads = pairwise_loads(to_, p_, hw_);
    const double source = times_.by_sms * static_cast<double>(all) / static_cast<double>(p_.ranks) / even_;
    for (std::size_t m = 0; m < loads.size(); ++m) {
      PortLoad& l = loads[m];
      const double expert = times_.by_sms * static_cast<double>(ranks[m].received) / even_;
      const double up = hw_.scale_up.all_to_all_efficiency.value / times_.up;
      const InsideRate inside(hw_, p_.members_beside(m));
      l.out_seconds = together(source, std::max(inside.seconds(l.bytes[0], largest_[static_cast<std::size_t>(p_.domain_of[m])]) * up, nic(l.bytes[2])), times_.doublings);
      l.in_seconds = together(expert, std::max(inside.seconds(l.bytes[1], to_[m]) * up, nic(l.bytes[3])), times_.doublings);
    }
    if (combine_) reverse(loads);
    out_ = to_transfer(times_.start, loads, 1, {std::min(1.0, times_.up), std::min(1.0, times_.out)}, hw_);
    return out_;
  }

 private:
  double nic(std::int64_t bytes) const { return static_cast<double>(bytes) / (hw_.scale_out.per_gpu.value.count() * times_.out); }

  bool combine_;
  const Placement& p_;
  const HwProfile& hw_;
  Times times_;
  std::int64_t bytes_;
  double even_;                     // copies that a rank receives when the load is even
  std::vector<std::int64_t> to_;    // bytes from each member to each rank
  std::vector<std::int64_t> largest_;   // of those, in each domain
  Transfer out_;
};

class DeepEpLowLatency final : public Dispatcher {
 public:
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return no_exchange();
    const bool combine = way == ExchangeWay::combine;
    const ExchangeCurves* c = exchange_curves(hw);
    ExchangeWork w = even_work(s, p);
    w.copies = w.top_k;
    w.sms = low_latency_sms(w.experts, static_cast<double>(std::max<std::int64_t>(1, hw.gpu.sms.value)));
    const bool known = c && c->low_latency && (p.domains == 1 || c->low_latency_over_nodes);
    return std::make_unique<Exchange>(way, s, p, hw, known ? timed(combine, w, *c) : untimed(combine, p, hw));
  }

  bool host_reads_counts() const override { return false; }
  bool permutes_before() const override { return false; }
  bool takes_fp8() const override { return true; }
  std::int64_t sms(const HwProfile&) const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_deepep_ll_dispatcher() { return std::make_unique<DeepEpLowLatency>(); }

}  // namespace moesim
