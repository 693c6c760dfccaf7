#include "analysis/kernel_shares.h"

#include <algorithm>

namespace moesim {

KernelShareTable::KernelShareTable(const TrainStep& step) : step_(step) {
  for (const auto& [type, peak] : step.scenario().hardware.gpu.peak) peak_[static_cast<std::size_t>(type)] = peak.value.count();
}

/// Never more than the kernel takes: a GPU may be said to run faster than its profile.
double KernelShareTable::picoseconds_at_peak(const SegmentInfo::Item& item) const {
  const double peak = peak_[static_cast<std::size_t>(item.op.dtype)];
  return peak == 0 ? 0 : std::min(flops(item.op).count() / peak * 1e12, static_cast<double>(item.device.count()));
}

KernelShares KernelShareTable::make(const SegmentInfo& info) const {
  std::array<double, kTimeClasses> time{};
  std::array<PeakShares, kTimeClasses> at_peak{};
  KernelShares out;
  double total = 0;
  for (const SegmentInfo::Item& item : info.items) {
    const auto t = static_cast<double>(item.device.count());
    const TimeClass what = time_class(item.op);
    time[static_cast<std::size_t>(what)] += t;
    if (is_matrix(what)) at_peak[static_cast<std::size_t>(what)][static_cast<std::size_t>(item.op.dtype)] += picoseconds_at_peak(item);
    out.by_provenance[static_cast<std::size_t>(item.provenance)] += t;
    out.flops += flops(item.op).count();
    total += t;
  }
  if (total == 0) return {};
  for (std::size_t c = 0; c < kTimeClasses; ++c) {
    if (time[c] == 0) continue;
    for (double& p : at_peak[c]) p /= time[c];
    out.parts.push_back({static_cast<TimeClass>(c), time[c] / total, at_peak[c]});
  }
  for (double& p : out.by_provenance) p /= total;
  out.flops /= total * 1e-12;
  return out;
}

const KernelShares& KernelShareTable::of(ActorId a, std::uint32_t id, BlockTag tag) {
  if (id >= table_.size()) {
    table_.resize(id + 1);
    known_.resize(id + 1, false);
  }
  if (!known_[id]) {
    table_[id] = make(step_.segment_info(a, id, tag));
    known_[id] = true;
  }
  return table_[id];
}

}  // namespace moesim
