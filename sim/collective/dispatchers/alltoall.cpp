// Megatron's MoEAlltoAllTokenDispatcher on NCCL: ranks tell each other their counts (an all-gather of one integer per expert), then send
// one copy of a token per chosen expert, whoever else on that rank or node gets the same token.
#include "collective/collective.h"
#include "collective/dispatcher.h"
#include "collective/pairwise.h"

namespace moesim {
namespace {

constexpr std::int64_t kCountBytes = 8;
/// CTAs of NCCL's grouped send and receive; as its all-gather on Hopper (facts: hardware, section 6).
constexpr std::int64_t kSms = 24;

std::vector<PortLoad> loads(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) {
  std::vector<std::int64_t> to;
  to.reserve(ranks.size());
  for (const RankLoad& r : ranks) to.push_back(share_of(r.received, token_bytes(s.width, s.dtype), p.ranks));
  return pairwise_loads(to, p, hw);
}

class AllToAll final : public Dispatcher {
 public:
  Transfer dispatch(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const override {
    Transfer t = pairwise(loads(s, ranks, p, hw), p, hw).transfer;
    const Transfer counts = collective(CollectiveOp::all_gather, Bytes{p.ranks * s.num_experts * kCountBytes}, p, hw).transfer;
    t.latency += counts.latency + counts.span;
    return t;
  }

  Transfer combine(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const override {
    std::vector<PortLoad> back = loads(s, ranks, p, hw);
    reverse(back);
    return pairwise(back, p, hw).transfer;
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return true; }
  std::int64_t sms() const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_alltoall_dispatcher() { return std::make_unique<AllToAll>(); }

}  // namespace moesim
