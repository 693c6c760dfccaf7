// TensorRT-LLM's all-to-all inside one NVLink domain of a rack (two-sided): counts are prepared, then tokens go once to each rank that needs them.
#include "collective/fused_exchange.h"

namespace moesim {
namespace {

constexpr std::int64_t kSms = 16;   // not published; as HybridEP takes in the same domain
/// Where none was timed: start of prepare and of a movement on GB200, two ranks.
constexpr Time kStart = 12 * kMicrosecond;

const RackForm& dispatch_form(const ExchangeCurves::Rack& r, DType type) {
  const auto found = r.dispatch.find(type);
  return found == r.dispatch.end() ? r.dispatch.at(DType::bf16) : found->second;
}

FusedTimes timed(bool combine, ExchangeWork w, DType type, const ExchangeCurves& c) {
  const RackForm& form = combine ? c.rack->combine : dispatch_form(*c.rack, type);
  w.wire = w.bytes * w.copies * (w.ranks - 1) / w.ranks;
  FusedTimes out;
  out.start = time_from_seconds(form.start(w) + (combine ? 0 : c.rack->prepare.start(w) + c.rack->prepare.by_sms(w)));
  out.by_sms = form.by_sms(w);
  out.doublings = form.doublings;
  out.up = w.tokens * w.wire / form.by_link(w) / c.scale_up;
  return out;
}

class Nvl72 final : public Dispatcher {
 public:
  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return no_exchange();
    const bool combine = way == ExchangeWay::combine;
    if (const ExchangeCurves* c = exchange_curves(hw); c && c->rack && s.tokens_per_rank > 0)
      return fused_exchange(way, s, p, hw, timed(combine, even_work(s, p), s.dtype, *c));
    FusedTimes t;
    t.start = (combine ? 1 : 2) * kStart;
    t.up = hw.scale_up.all_to_all_efficiency.value, t.out = hw.scale_out.all_to_all_efficiency.value;
    return fused_exchange(way, s, p, hw, t);
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  bool takes_fp8() const override { return true; }
  std::int64_t sms(const HwProfile&) const override { return kSms; }
  std::string refusal(std::int64_t span, const HwProfile& hw) const override {
    if (hw.scale_up.kind != ScaleUpKind::nvswitch) return "it writes into the memory of GPUs behind one NVSwitch, and " + hw.name + " has none";
    if (span <= hw.scale_up.domain) return "";
    return "it runs inside one NVLink domain; groups of " + std::to_string(span) + " GPUs are larger than the " + std::to_string(hw.scale_up.domain) + " of " + hw.name;
  }
};

}  // namespace

std::unique_ptr<Dispatcher> make_nvl72_dispatcher() { return std::make_unique<Nvl72>(); }

}  // namespace moesim
