#include "collective/measured.h"

#include <algorithm>

#include "base/maths.h"
#include "collective/algorithms.h"

namespace moesim {
namespace {

Reach reach_of(const Transfer::Taken& taken) {
  const auto share = [](std::int64_t t) { return static_cast<double>(1 << Transfer::kTakenBits) / static_cast<double>(t); };
  return {share(taken[0]), share(taken[1]), share(taken[2])};
}

/// Where the group would lie on a machine with other latencies at the same levels.
Placement moved(Placement p, const HwProfile& from, const HwProfile& to) {
  const std::vector<FabricLevel>&a = from.scale_out.levels, &b = to.scale_out.levels;
  for (std::size_t i = 0; i < a.size() && a.size() == b.size() && p.domains > 1; ++i)
    if (a[i].latency.value == p.network_latency) {
      p.network_latency = b[i].latency.value;
      break;
    }
  return p;
}

/// To a machine that has other latencies or efficiencies than when it was timed: as its formula is to that of then.
void carry_over(CollectiveCurves::Time& t, CollectiveOp op, double bytes, const Placement& p, const HwProfile& hw, const HwProfile& then) {
  const Wanted wanted = t.pick ? Wanted{t.pick->algorithm, t.pick->protocol} : Wanted{};
  const auto total = [&](const Placement& place, const HwProfile& machine) {
    const Transfer x = by_formula(op, Bytes{whole_ceil(bytes)}, place, machine, wanted).transfer;
    return seconds(x.latency + x.span);
  };
  t.seconds *= total(p, hw) / total(moved(p, hw, then), then);
  t.known = CollectiveCurve::Known::extrapolated;
}

std::optional<CollectiveCurves::Time> timed(CollectiveOp op, double bytes, const Placement& p, const HwProfile& hw) {
  if (p.domains == 1) {
    if (!hw.scale_up.curves || hw.scale_up.kind != ScaleUpKind::nvswitch) return std::nullopt;
    return hw.scale_up.curves->time(name(op), p.ranks, bytes, hw.scale_up.per_gpu.value.count());
  }
  if (!hw.scale_out.curves || !p.symmetric() || p.in_domain.front() != hw.scale_out.curves->domain || p.in_domain.front() != hw.scale_up.domain) return std::nullopt;
  return hw.scale_out.curves->time(name(op), p.ranks, bytes, hw.scale_out.per_gpu.value.count());
}

}  // namespace

Provenance provenance(const CollectiveCurves::Time& t) {
  if (t.known == CollectiveCurve::Known::extrapolated || !t.inside) return Provenance::extrapolated;
  return t.timed ? Provenance::measured : Provenance::interpolated;
}

std::optional<CollectiveCurves::Time> measured_time(CollectiveOp op, double bytes, const Placement& p, const HwProfile& hw) {
  std::optional<CollectiveCurves::Time> out = timed(op, bytes, p, hw);
  const HwProfile* then = p.domains == 1 ? hw.scale_up.timed_on.get() : hw.scale_out.timed_on.get();
  if (out && then) carry_over(*out, op, bytes, p, hw, *then);
  return out;
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
