#include "collective/measured.h"

#include <algorithm>

#include "collective/algorithms.h"

namespace moesim {
namespace {

Reach reach_of(const Transfer::Taken& taken) {
  const auto share = [](std::int64_t t) { return static_cast<double>(1 << Transfer::kTakenBits) / static_cast<double>(t); };
  return {share(taken[0]), share(taken[1]), share(taken[2])};
}

}  // namespace

Provenance provenance(const CollectiveCurves::Time& t) {
  if (t.known == CollectiveCurve::Known::extrapolated || !t.inside) return Provenance::extrapolated;
  return t.timed ? Provenance::measured : Provenance::interpolated;
}

std::optional<CollectiveCurves::Time> measured_time(CollectiveOp op, double bytes, const Placement& p, const HwProfile& hw) {
  if (p.domains == 1) {
    if (!hw.scale_up.curves || hw.scale_up.kind != ScaleUpKind::nvswitch) return std::nullopt;
    return hw.scale_up.curves->time(name(op), p.ranks, bytes, hw.scale_up.per_gpu.value.count());
  }
  if (!hw.scale_out.curves || !p.symmetric() || p.in_domain.front() != hw.scale_out.curves->domain || p.in_domain.front() != hw.scale_up.domain) return std::nullopt;
  return hw.scale_out.curves->time(name(op), p.ranks, bytes, hw.scale_out.per_gpu.value.count());
}

void take_measured(Transfer& t, const CollectiveCurves::Time& measured, const HwProfile& hw) {
  const Time time = time_from_seconds(measured.seconds);
  if (time >= t.span) {
    t.latency = time - t.span;
    return;
  }
  const Time span = t.span;
  const double faster = seconds(span) / seconds(time);
  const Reach reach = reach_of(t.taken);
  const PeakRates peak(hw, {std::min(1.0, reach.up * faster), std::min(1.0, reach.out * faster), reach.uplinks / hw.scale_out.topology.spread});
  t.taken = peak.taken();
  t.latency = t.span = Time{0};
  for (Transfer::Member& m : t.members) {
    m.done = peak.not_before(Time{share_of(m.done.count(), time.count(), span.count())}, m);
    t.span = std::max(t.span, m.done);
  }
}

std::vector<std::string> fused_all_reduce_kernels(const HwProfile& hw) {
  std::vector<std::string> out;
  if (hw.scale_up.fused)
    for (const CollectiveCurve& c : hw.scale_up.fused->curves)
      if (out.empty() || out.back() != c.op) out.push_back(c.op);
  return out;
}

std::optional<CollectiveCost> fused_all_reduce(std::string_view kernel, Bytes bytes, const Placement& p, const HwProfile& hw) {
  if (!hw.scale_up.fused || p.domains > 1 || p.ranks < 2 || bytes.count() <= 0) return std::nullopt;
  const auto measured = hw.scale_up.fused->time(kernel, p.ranks, static_cast<double>(bytes.count()), hw.scale_up.per_gpu.value.count());
  if (!measured) return std::nullopt;
  CollectiveCost out = all_reduce(bytes.count(), p, hw);
  take_measured(out.transfer, *measured, hw);
  out.algorithm = "fused", out.protocol = "";
  out.provenance = provenance(*measured);
  return out;
}

}  // namespace moesim
