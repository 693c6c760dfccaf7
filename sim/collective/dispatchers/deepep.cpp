// DeepEP's normal kernels, as timed: their SMs or the links, whichever is slower, after start-up and, over nodes, the exchange of counts.
#include <algorithm>

#include "collective/fused_exchange.h"

namespace moesim {
namespace {

constexpr std::int64_t kSms = 20;   // DeepEP's default

/// On a machine like which none was timed: the starts of H100 and no more than the links. Zero-token limits of the measured kernels.
FusedTimes untimed(bool combine, const Placement& p, const HwProfile& hw) {
  FusedTimes out;
  const Time network = p.domains == 1 ? Time{0} : (combine ? 17 : 62) * kMicrosecond;
  out.start = (combine ? 50 : 35) * kMicrosecond + network;
  out.up = hw.scale_up.all_to_all_efficiency.value, out.out = hw.scale_out.all_to_all_efficiency.value;
  return out;
}

/// Of the scale-up fabric: the form counts copies to the rank itself, ports do not.
double reach_inside(const NormalForm& f, const ExchangeCurves& c) {
  const double gpus = static_cast<double>(c.gpus);
  return f.c[8] * 1e9 * (gpus - 1) / gpus / c.scale_up;
}

FusedTimes timed(bool combine, ExchangeWork w, const ExchangeCurves& c) {
  const bool over = w.nodes > 1;
  const ExchangeCurves::Normal& kernels = over ? *c.normal_over_nodes : *c.normal;
  const NormalForm &form = combine ? kernels.combine : kernels.dispatch, &inside = combine ? c.normal->combine : c.normal->dispatch;
  const NotifyForm& notify = combine ? kernels.combine_notify : kernels.dispatch_notify;
  FusedTimes out;
  out.start = time_from_seconds(form.start(w) + (over ? notify.seconds(w) : 0));
  out.by_sms = form.by_sms(w);
  out.filling = form.filling(w);
  out.doublings = form.doublings;
  out.up = reach_inside(inside, c);
  out.out = over ? form.c[8] * 1e9 / c.scale_out : 1;
  return out;
}

class DeepEp final : public Dispatcher {
 public:
  explicit DeepEp(std::int64_t sms) : sms_(sms) {}

  std::unique_ptr<PreparedExchange> prepare(ExchangeWay way, const ExchangeShape& s, const Placement& p, const HwProfile& hw) const override {
    if (p.ranks == 1) return no_exchange();
    const bool combine = way == ExchangeWay::combine;
    const ExchangeCurves* c = exchange_curves(hw);
    ExchangeWork w = even_work(s, p);
    w.sms = static_cast<double>(sms_);
    const bool known = c && c->normal && (p.domains == 1 || c->normal_over_nodes);
    return fused_exchange(way, s, p, hw, known ? timed(combine, w, *c) : untimed(combine, p, hw));
  }

  bool host_reads_counts() const override { return true; }
  bool permutes_before() const override { return false; }
  bool once_per_node() const override { return true; }
  bool takes_fp8() const override { return true; }
  std::int64_t sms(const HwProfile&) const override { return sms_; }
  std::unique_ptr<Dispatcher> with_sms(std::int64_t sms) const override { return std::make_unique<DeepEp>(sms); }

 private:
  std::int64_t sms_;
};

}  // namespace

std::unique_ptr<Dispatcher> make_deepep_dispatcher() { return std::make_unique<DeepEp>(kSms); }

}  // namespace moesim
