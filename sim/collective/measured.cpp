#include "collective/measured.h"

#include <algorithm>

namespace moesim {
namespace {

Provenance provenance(const CollectiveCurves::Time& t) {
  if (t.known == CollectiveCurve::Known::extrapolated || !t.inside) return Provenance::extrapolated;
  return t.timed ? Provenance::measured : Provenance::interpolated;
}

Reach reach_of(const Transfer::Taken& taken) {
  const auto share = [](std::int64_t t) { return static_cast<double>(1 << Transfer::kTakenBits) / static_cast<double>(t); };
  return {share(taken[0]), share(taken[1])};
}

}  // namespace

std::optional<CollectiveCurves::Time> measured_time(CollectiveOp op, std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  const auto size = static_cast<double>(bytes);
  if (p.domains == 1) {
    if (!hw.scale_up.curves || hw.scale_up.kind != ScaleUpKind::nvswitch) return std::nullopt;
    return hw.scale_up.curves->time(name(op), p.ranks, size, hw.scale_up.per_gpu.value.count());
  }
  if (!hw.scale_out.curves || !p.symmetric() || p.in_domain.front() != hw.scale_out.curves->domain || p.in_domain.front() != hw.scale_up.domain) return std::nullopt;
  return hw.scale_out.curves->time(name(op), p.ranks, size, hw.scale_out.per_gpu.value.count());
}

void take_measured(CollectiveCost& cost, const CollectiveCurves::Time& measured, const HwProfile& hw) {
  Transfer& t = cost.transfer;
  const Time time = time_from_seconds(measured.seconds);
  if (measured.at_most && t.latency + t.span <= time) return;
  cost.provenance = provenance(measured);
  if (measured.pick) cost.algorithm = measured.pick->algorithm, cost.protocol = measured.pick->protocol;
  if (time >= t.span) {
    t.latency = time - t.span;
    return;
  }
  Reach reach = reach_of(t.taken);
  const double faster = seconds(t.span) / seconds(time);
  reach = {std::min(1.0, reach.up * faster), std::min(1.0, reach.out * faster)};
  t = to_transfer(Time{0}, seconds(time), std::move(t.members), reach, hw);
}

}  // namespace moesim
