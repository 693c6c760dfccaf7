#include "analysis/kernel_shares.h"

namespace moesim {

KernelShares KernelShareTable::make(const SegmentInfo& info) const {
  std::array<double, kTimeClasses> time{};
  KernelShares out;
  double total = 0;
  for (const SegmentInfo::Item& item : info.items) {
    const auto t = static_cast<double>(item.device.count());
    time[static_cast<std::size_t>(time_class(item.op))] += t;
    out.by_provenance[static_cast<std::size_t>(item.provenance)] += t;
    out.flops += flops(item.op).count();
    total += t;
  }
  if (total == 0) return {};
  for (std::size_t c = 0; c < kTimeClasses; ++c)
    if (time[c] > 0) out.by_class.emplace_back(static_cast<TimeClass>(c), time[c] / total);
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
