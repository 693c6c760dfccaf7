#include "collective/protocol.h"

#include <algorithm>
#include <bit>

namespace moesim {

Latencies::Latencies(const Protocol& p, const Placement& group, const HwProfile& hw)
    : base_(p.base * seconds(group.domains > 1 ? hw.scale_out.base_latency.value : hw.scale_up.base_latency.value)),
      hop_(p.hop * seconds(hw.scale_up.hop_latency.value)),
      network_(p.network * seconds(group.network_latency) + p.network_extra + (p.bulk ? seconds(hw.scale_out.bulk_overhead.value) : 0)) {
  if (group.domains > 1) hop_ = std::max(hop_, p.overhead);
}

double Latencies::ring(std::int64_t steps, std::int64_t crossings) const {
  return base_ + static_cast<double>(steps - crossings) * hop_ + static_cast<double>(crossings) * network_;
}

double Latencies::tree(std::int64_t chain, std::int64_t domains) const {
  return base_ + 2 * (static_cast<double>(chain - 1) * hop_ + static_cast<double>(ceil_log2(domains)) * network_);
}

double Latencies::pat(std::int64_t domains) const {
  const double of_ring = nccl::kPat.base[nccl::simple] / nccl::kRing.base[nccl::simple];
  return base_ * of_ring + static_cast<double>(ceil_log2(domains)) * network_ / nccl::kPatHops + static_cast<double>(domains) * nccl::kPatRank * 1e-6;
}

double Latencies::pairwise(std::int64_t inside, std::int64_t domains) const {
  return base_ + static_cast<double>(ceil_log2(inside)) * hop_ + (domains > 1 ? network_ : 0);
}

std::vector<const Protocol*> usable_protocols(const Placement& group, const HwProfile& hw) {
  if (group.domains > 1 && !hw.scale_out.ll128) return {&kLL, &kSimple};
  return {&kLL, &kLL128, &kSimple};
}

double bandwidth_share(const Protocol& p, const Placement& group) { return group.domains > 1 ? p.across : p.inside; }

std::int64_t ceil_log2(std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n - 1)); }

}  // namespace moesim
