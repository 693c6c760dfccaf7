// HybridEP, NVIDIA's fused kernels of Megatron Core: a token once per node over the NIC and once per rank inside, as fast as the links. Its figures are
// published for EP 8 to 64 on H100 and GB200 without a sweep of SMs or tokens, so starts are those of DeepEP's kernels and SMs never bind.
#include "collective/fused_exchange.h"

namespace moesim {
namespace {

// Recipes of Megatron Core: 16 SMs in an NVL72 domain, 32 on H100.
constexpr std::int64_t kSmsInRack = 16, kSms = 32, kRack = 8;
constexpr Time kDispatchStart = 35 * kMicrosecond, kCombineStart = 50 * kMicrosecond, kNetworkStage = 17 * kMicrosecond, kNotify = 45 * kMicrosecond;

class HybridEp final : public Dispatcher {
 public:
  HybridEp() = default;
  explicit HybridEp(std::int64_t sms) : sms_(sms) {}

  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return no_exchange();
    const bool combine = way == ExchangeWay::combine;
    FusedTimes t;
    t.start = (combine ? kCombineStart : kDispatchStart) + (p.domains == 1 ? Time{0} : combine ? kNetworkStage : kNetworkStage + kNotify);
    t.up = hw.scale_up.all_to_all_efficiency.value, t.out = hw.scale_out.all_to_all_efficiency.value;
    return fused_exchange(way, s, p, hw, t);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  bool once_per_node() const override { return true; }
  bool takes_fp8() const override { return true; }
  std::int64_t sms(const HwProfile& hw) const override { return sms_ > 0 ? sms_ : hw.scale_up.domain > kRack ? kSmsInRack : kSms; }
  std::unique_ptr<Dispatcher> with_sms(std::int64_t sms) const override { return std::make_unique<HybridEp>(sms); }

 private:
  std::int64_t sms_ = 0;   // 0: what the recipes take
};

}  // namespace

std::unique_ptr<Dispatcher> make_hybridep_dispatcher() { return std::make_unique<HybridEp>(); }

}  // namespace moesim
