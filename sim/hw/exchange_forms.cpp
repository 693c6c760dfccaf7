#include "hw/exchange_forms.h"

#include <algorithm>

#include "base/maths.h"

namespace moesim {
namespace {

constexpr double kMicro = 1e-6, kNano = 1e-9;   // GB/s are bytes a nanosecond

double log2_of(double n) { return n > 1 ? portable_log(n) / portable_log(2.0) : 0; }

}  // namespace

double NormalForm::start(const ExchangeWork& w) const { return (c[0] + c[1] * w.bytes + c[2] * w.copies * w.bytes + c[3] * log2_of(w.nodes)) * kMicro; }

double NormalForm::by_sms(const ExchangeWork& w) const {
  return w.tokens * (c[4] + c[5] * w.copies + (c[6] * w.nodes_reached + c[7] * w.copies) * w.bytes) / w.sms * kNano;
}

double NormalForm::by_link(const ExchangeWork& w) const { return w.tokens * w.wire / c[8] * kNano; }

double NormalForm::filling(const ExchangeWork& w) const { return w.tokens > 0 ? c[9] * w.bytes * c[10] * w.tokens / (w.tokens + c[10]) * kNano : 0; }

double NotifyForm::seconds(const ExchangeWork& w) const {
  const double grown = w.tokens > 0 ? c[1] * w.tokens / (w.tokens + c[2]) : 0;
  return (c[0] + grown) * kMicro + c[3] * w.tokens / w.sms * kNano;
}

double LowLatencyForm::start(const ExchangeWork& w) const { return (c[0] + c[1] * w.bytes + c[2] * w.experts + c[3] * log2_of(w.nodes)) * kMicro; }

double LowLatencyForm::by_sms(const ExchangeWork& w) const {
  return w.tokens * (c[4] + c[5] * w.bytes + w.top_k * (c[6] + c[7] * w.bytes)) / w.sms * kNano;
}

double LowLatencyForm::by_link(const ExchangeWork& w) const { return w.tokens * w.wire / c[8] * kNano; }

double RackForm::start(const ExchangeWork& w) const { return (c[0] + c[1] * log2_of(w.ranks)) * kMicro; }

double RackForm::by_sms(const ExchangeWork& w) const { return w.tokens * c[2] * kNano; }

double RackForm::by_link(const ExchangeWork& w) const { return w.tokens * w.wire / c[3] * (1 + c[4] * log2_of(w.ranks)) * kNano; }

double low_latency_sms(double experts, double device_sms) {
  const double each = std::ceil(experts / device_sms);
  return std::max(1.0, std::ceil(experts / each));
}

}  // namespace moesim
