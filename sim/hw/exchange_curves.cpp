#include "hw/exchange_curves.h"

#include <utility>

namespace moesim {
namespace {

constexpr NumberRange kConstant{0, 1e9};

template <class Form>
Form form(Reader in) {
  Form out;
  out.doublings = static_cast<int>(in.integer("doublings", {0, kMostDoublings}));
  for (std::size_t i = 0; i < Form::kNames.size(); ++i) out.c[i] = in.number(Form::kNames[i], kConstant);
  in.done();
  return out;
}

ExchangeCurves::Normal normal(Reader in, bool over_nodes) {
  ExchangeCurves::Normal out;
  out.from = in.text("from");
  out.dispatch = form<NormalForm>(in.object("dispatch"));
  out.combine = form<NormalForm>(in.object("combine"));
  if (over_nodes) {
    out.dispatch_notify = form<NotifyForm>(in.object("dispatch_notify"));
    out.combine_notify = form<NotifyForm>(in.object("combine_notify"));
  }
  in.done();
  return out;
}

ExchangeCurves::LowLatency low_latency(Reader in) {
  ExchangeCurves::LowLatency out;
  out.from = in.text("from");
  out.dispatch = form<LowLatencyForm>(in.object("dispatch"));
  out.combine = form<LowLatencyForm>(in.object("combine"));
  in.done();
  return out;
}

ExchangeCurves::Rack rack(Reader in) {
  ExchangeCurves::Rack out;
  out.from = in.text("from");
  out.prepare = form<RackForm>(in.object("prepare"));
  out.combine = form<RackForm>(in.object("combine"));
  Reader dispatch = in.object("dispatch");
  for (const DType t : {DType::bf16, DType::fp8, DType::fp4}) out.dispatch.emplace(t, form<RackForm>(dispatch.object(name(t))));
  dispatch.done();
  in.done();
  return out;
}

}  // namespace

ExchangeCurves read_exchange_curves(Reader in) {
  ExchangeCurves out;
  out.scale_up = in.bandwidth("scale_up").count();
  out.scale_out = in.bandwidth("scale_out").count();
  out.gpus = in.integer("gpus", {2, 1 << 16});
  if (auto o = in.find_object("deepep")) out.normal = normal(std::move(*o), false);
  if (auto o = in.find_object("deepep_over_nodes")) out.normal_over_nodes = normal(std::move(*o), true);
  if (auto o = in.find_object("deepep_low_latency")) out.low_latency = low_latency(std::move(*o));
  if (auto o = in.find_object("deepep_low_latency_over_nodes")) out.low_latency_over_nodes = low_latency(std::move(*o));
  if (auto o = in.find_object("nvl72")) out.rack = rack(std::move(*o));
  in.done();
  return out;
}

}  // namespace moesim
