// Megatron's MoEAlltoAllTokenDispatcher on NCCL: ranks tell each other their counts (an all-gather of one integer per expert), then send
// one copy of a token per chosen expert, whoever else on that rank or node gets the same token.
//
// Where all-to-alls of the machine were timed, an exchange takes as long as the even one whose slowest member, by the formula, is as slow as
// the slowest here: with one hot rank, one of the bytes that it receives from each.
#include "collective/collective.h"
#include "collective/dispatcher.h"
#include "collective/measured.h"
#include "collective/pairwise.h"

namespace moesim {
namespace {

constexpr std::int64_t kCountBytes = 8;
/// CTAs of NCCL's grouped send and receive; as its all-gather on Hopper (facts: hardware, section 6).
constexpr std::int64_t kSms = 24;

class Exchange final : public PreparedExchange {
 public:
  Exchange(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw)
      : way_(way), token_bytes_(token_bytes(s.width, s.dtype)), p_(p), hw_(hw), even_(p, hw) {
    if (way == ExchangeWay::combine) return;
    const Transfer counts = collective(CollectiveOp::all_gather, Bytes{p.ranks * s.num_experts * kCountBytes}, p, hw).transfer;
    before_ = counts.latency + counts.span;
  }

  const Transfer& at(std::span<const RankLoad> ranks) override {
    to_.clear();
    for (const RankLoad& r : ranks) to_.push_back(share_of(r.received, token_bytes_, p_.ranks));
    std::vector<PortLoad> loads = pairwise_loads(to_, p_, hw_);
    if (way_ == ExchangeWay::combine) reverse(loads);
    out_ = pairwise(loads, p_, hw_).transfer;
    if (const double bytes = even_.as_slow_as(slowest(loads)); bytes >= 1)
      if (const auto measured = measured_time(CollectiveOp::all_to_all, bytes, p_, hw_)) take_measured(out_, *measured, hw_);
    out_.latency += before_;
    return out_;
  }

 private:
  ExchangeWay way_;
  std::int64_t token_bytes_;
  const Placement& p_;
  const HwProfile& hw_;
  Time before_{0};
  std::vector<std::int64_t> to_;   // bytes from each member to each rank
  EvenExchange even_;
  Transfer out_;
};

class AllToAll final : public Dispatcher {
 public:
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    return std::make_unique<Exchange>(way, s, p, hw);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return true; }
  std::int64_t sms(const HwProfile&) const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_alltoall_dispatcher() { return std::make_unique<AllToAll>(); }

}  // namespace moesim
