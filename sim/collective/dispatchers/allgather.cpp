// Megatron's MoEAllGatherTokenDispatcher: all ranks get all tokens with their probabilities and routing map, compute what their experts
// must, and reduce-scatter the sums. The load of a rank does not change what is moved.
#include <utility>

#include "collective/collective.h"
#include "collective/dispatcher.h"

namespace moesim {
namespace {

/// Of each token and expert: an fp32 probability and a byte of the routing map.
constexpr std::int64_t kRoutingBytes = 5;
/// CTAs that NCCL's all-gather launches on Hopper (deepseek-ai and NVIDIA forum reports; facts: hardware, section 6).
constexpr std::int64_t kSms = 24;

class AnyLoad final : public PreparedExchange {
 public:
  explicit AnyLoad(Transfer t) : transfer_(std::move(t)) {}
  const Transfer& at(std::span<const RankLoad>) override { return transfer_; }

 private:
  Transfer transfer_;
};

class AllGather final : public Dispatcher {
 public:
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    const bool back = way == ExchangeWay::combine;
    const std::int64_t each = token_bytes(s.width, s.dtype) + (back ? 0 : kRoutingBytes * s.num_experts);
    const Bytes all{p.ranks * s.tokens_per_rank * each};
    return std::make_unique<AnyLoad>(collective(back ? CollectiveOp::reduce_scatter : CollectiveOp::all_gather, all, p, hw).transfer);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  std::int64_t sms(const HwProfile&) const override { return kSms; }
};

}  // namespace

std::unique_ptr<Dispatcher> make_allgather_dispatcher() { return std::make_unique<AllGather>(); }

}  // namespace moesim
