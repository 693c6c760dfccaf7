#include "analysis/time_attribution.h"

#include <algorithm>

namespace moesim {
namespace {

constexpr auto kCompute = static_cast<std::uint8_t>(StepStream::compute);

}  // namespace

TimeAttribution::TimeAttribution(const TrainStep& step)
    : step_(step), shares_(step), accounts_(step.actors().size()), actors_(step.actors().size()) {}

Time TimeAttribution::add(ActorId a, TimeClass c, Time until) {
  Time& at = actors_[a.index()].accounted;
  if (until <= at) return Time{0};
  const Time added = until - at;
  accounts_[a.index()].time[static_cast<std::size_t>(c)] += added.count();
  at = until;
  return added;
}

/// Kernels first, in the order of their classes; what the segment took beyond them is the host's.
void TimeAttribution::on_segment(const SegmentSpan& s) {
  if (s.stream != kCompute) return;
  const Time slower = s.stolen + s.shared;
  add(s.actor, TimeClass::launch_stall, s.end - s.segment.device - slower);
  add(s.actor, TimeClass::sm_theft, s.end - s.segment.device - s.shared);
  add(s.actor, TimeClass::memory_sharing, s.end - s.segment.device);
  const KernelShares& shares = shares_.of(s.actor, s.id, s.tag);
  Account& account = accounts_[s.actor.index()];
  const auto device = static_cast<double>(s.segment.device.count());
  double used = 0;
  const Time start = actors_[s.actor.index()].accounted;
  for (const KernelShares::Part& p : shares.parts) {
    used += p.share;
    const Time until = start + Time{static_cast<std::int64_t>(static_cast<double>((s.end - start).count()) * used)};
    const auto added = static_cast<double>(add(s.actor, p.what, &p == &shares.parts.back() ? s.end : until).count());
    for (std::size_t t = 0; t < kDTypes; ++t) account.at_peak[t] += added * p.at_peak[t];
  }
  for (std::size_t p = 0; p < kProvenances; ++p) account.provenance[p] += device * shares.by_provenance[p];
  account.flops += device * 1e-12 * shares.flops;
}

void TimeAttribution::on_transfer(const TransferSpan& t) {
  const Moved moved{t.id, t.span, t.joined, t.started, t.end};
  actors_[t.actor.index()].last[t.stream] = moved;
  if (t.stream != kCompute) return;
  add(t.actor, TimeClass::launch_stall, t.joined);
  add_transfer(t.actor, moved, t.end);
}

void TimeAttribution::add_transfer(ActorId a, const Moved& m, Time until) {
  const TransferKind kind = step_.transfer_kind(m.id);
  // Before it joined, its stream was still busy with the transfers before it.
  add(a, kind == TransferKind::pp ? waiting(kind) : moving(kind), std::min(m.joined, until));
  add(a, waiting(kind), std::min(m.started, until));
  add(a, moving(kind), until);
}

void TimeAttribution::on_wait(const WaitSpan& w) {
  if (w.stream != kCompute) return;
  add(w.actor, TimeClass::launch_stall, w.begin);
  for (const Moved& m : actors_[w.actor.index()].last)
    if (m.span != kNoSpan && m.span == w.cause) return add_transfer(w.actor, m, w.end);
  add(w.actor, TimeClass::unattributed, w.end);
}

void TimeAttribution::finish(Time end) {
  for (std::uint32_t a = 0; a < actors_.size(); ++a) add(ActorId(a), TimeClass::end_wait, end);
}

}  // namespace moesim
