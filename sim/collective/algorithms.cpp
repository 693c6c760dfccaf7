#include "collective/algorithms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "collective/ring.h"
#include "collective/uplinks.h"

namespace moesim {
namespace {

/// In-switch reduction starts slowly. NCCL books 25 us; the 64 and 512 MiB points of 8-GPU H100 and H200 all-reduce (AIConfigurator
/// nccl tables) lie on a line that starts at 50 to 70 us.
constexpr double kNvlsStart = 55e-6;
/// A profile gives NVLS as all-reduce bus bandwidth of eight GPUs, 2 * 7/8 of the buffer, while (1 + 1/8) of it passes each port.
constexpr double kNvlsWire = (1 + 1.0 / 8) / (2 * 7.0 / 8);

std::string_view ring_name(const Placement& p) { return p.domains > 1 ? "hierarchical ring" : "ring"; }

void keep_faster(Candidate& best, const Candidate& c) {
  if (c.total() < best.total()) best = c;
}

/// What rings of one protocol reach of the ports, a tree the same but `share`.
Reach ring_reach(const Protocol& proto, const HwProfile& hw, double share = 1) {
  const double payload = proto.payload * share;
  return {hw.scale_up.ring_efficiency.value * payload, hw.scale_out.ring_efficiency.value * payload, payload};
}

/// The ring under the protocol that ends soonest. Both fabrics work at once, in a pipeline of chunks.
Candidate best_ring(const RingWork& work, std::int64_t passes, const Placement& p, const HwProfile& hw, std::string_view protocol = {}) {
  Candidate best;
  for (const Protocol* proto : usable_protocols(p, hw)) {
    if (!protocol.empty() && proto->name != protocol) continue;
    const double latency = Latencies(*proto, p, hw).ring(passes * (p.ranks - 1), passes * (p.domains - 1));
    const Candidate c{ring_name(p), proto->name, latency, std::max(work.inside, work.across) / bandwidth_share(*proto, p),
                      ring_reach(*proto, hw)};
    if (best.algorithm.empty()) best = c;
    keep_faster(best, c);
  }
  return best;
}

Candidate best_tree(const RingWork& work, const Placement& p, const HwProfile& hw, Candidate best) {
  const std::int64_t chain = *std::max_element(p.in_domain.begin(), p.in_domain.end());
  for (const Protocol* proto : usable_protocols(p, hw)) {
    const double latency = Latencies(*proto, p, hw).tree(chain, p.domains);
    keep_faster(best, {"tree", proto->name, latency, std::max(work.inside, work.across) / (bandwidth_share(*proto, p) * nccl::kTreeShare),
                       ring_reach(*proto, hw, nccl::kTreeShare)});
  }
  return best;
}

/// Gather and scatter along binary trees that are shifted against each other, in parallel: NCCL has it for one GPU a node.
Candidate pat(const RingWork& work, const Placement& p, const HwProfile& hw) {
  return {"pat", kSimple.name, Latencies(kSimple, p, hw).pat(p.domains), work.across / nccl::kPatShare, ring_reach(kSimple, hw, nccl::kPatShare)};
}

/// Each port passes the whole buffer once (the switch reads or multicasts it) and the member's own slice once.
std::int64_t nvls_bytes(std::int64_t bytes, std::int64_t members) { return members > 1 ? bytes + ceil_div(bytes, members) : 0; }

double nvls_reach(const HwProfile& hw) { return std::min(1.0, hw.scale_up.nvls_efficiency->value * kNvlsWire); }

double nvls_seconds(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  const double rate = hw.scale_up.per_gpu.value.count() * nvls_reach(hw);
  double longest = 0;
  for (const std::int64_t m : p.in_domain) longest = std::max(longest, static_cast<double>(nvls_bytes(bytes, m)) / rate);
  return longest;
}

Candidate nvls(std::int64_t bytes, const RingWork& work, const Placement& p, const HwProfile& hw) {
  const double network = Latencies(kSimple, p, hw).network();
  const double latency = kNvlsStart + 2 * static_cast<double>(ceil_log2(p.domains)) * network;
  return {p.domains > 1 ? "nvls tree" : "nvls", kSimple.name, latency, std::max(nvls_seconds(bytes, p, hw), work.across),
          {nvls_reach(hw), ring_reach(kSimple, hw).out}};
}

void load_nvls(std::vector<Transfer::Member>& members, std::int64_t bytes, const Placement& p) {
  for (std::size_t i = 0; i < members.size(); ++i)
    members[i].bytes[0] = members[i].bytes[1] = nvls_bytes(bytes, members.size() == 1 ? p.in_domain.front() : p.members_beside(i));
}

CollectiveCost cost(const Candidate& c, std::vector<Transfer::Member> members, const HwProfile& hw) {
  return {to_transfer(time_from_seconds(c.latency), c.seconds, std::move(members), c.reach, hw), c.algorithm, c.protocol};
}

}  // namespace

CollectiveCost all_reduce(std::int64_t bytes, const Placement& p, const HwProfile& hw, const Wanted& wanted) {
  RingWork work = ring_all_reduce(bytes, p, hw);
  const bool in_switch = hw.scale_up.nvls_efficiency && *std::max_element(p.in_domain.begin(), p.in_domain.end()) > 1;
  Candidate best = best_ring(work, 2, p, hw, wanted.protocol);
  if (wanted.algorithm.empty()) {
    if (p.domains > 1) best = best_tree(work, p, hw, best);
    if (in_switch) keep_faster(best, nvls(bytes, work, p, hw));
  } else if (in_switch && wanted.algorithm == "nvls") {
    best = nvls(bytes, work, p, hw);
  }
  if (best.algorithm.starts_with("nvls")) load_nvls(work.members, bytes, p);
  return cost(best, std::move(work.members), hw);
}

CollectiveCost gather_or_scatter(CollectiveOp op, std::int64_t bytes, const Placement& p, const HwProfile& hw, const Wanted& wanted) {
  RingWork work = op == CollectiveOp::all_gather ? ring_all_gather(bytes, p, hw) : ring_reduce_scatter(bytes, p, hw);
  Candidate best = best_ring(work, 1, p, hw, wanted.protocol);
  if (wanted.algorithm.empty() && p.domains == p.ranks) keep_faster(best, pat(work, p, hw));
  return cost(best, std::move(work.members), hw);
}

CollectiveCost broadcast_or_reduce(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  RingWork work = ring_broadcast(bytes, p, hw);
  return cost(best_ring(work, 1, p, hw), std::move(work.members), hw);
}

CollectiveCost send_recv(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  if (p.ranks != 2) throw InternalError("send_recv needs two members, found " + std::to_string(p.ranks));
  const bool network = p.domains > 1;
  const double rate = network ? hw.scale_out.per_gpu.value.count() * hw.scale_out.point_to_point_efficiency.value
                              : domain_rate(hw, 2) * hw.scale_up.pair_efficiency.value;
  const Reach reach{hw.scale_up.pair_efficiency.value, hw.scale_out.point_to_point_efficiency.value};
  const std::int64_t ramp = network ? hw.scale_out.half_message.value.count() : 0;
  Candidate best;
  for (const Protocol* proto : {&kLL, &kSimple}) {
    const Latencies l(*proto, p, hw);
    const double moving = static_cast<double>(bytes) / bandwidth_share(*proto, p) + static_cast<double>(ramp);
    const Candidate c{"send", proto->name, l.base() + (network ? l.network() : l.hop()), moving / rate, {reach.up * proto->payload, reach.out * proto->payload, proto->payload}};
    if (best.algorithm.empty()) best = c;
    keep_faster(best, c);
  }
  std::vector<Transfer::Member> members(2);
  members[0].bytes[static_cast<std::size_t>(network ? Port::scale_out_out : Port::scale_up_out)] = bytes;
  members[1].bytes[static_cast<std::size_t>(network ? Port::scale_out_in : Port::scale_up_in)] = bytes;
  Uplinks uplinks(p);
  uplinks.between(static_cast<std::size_t>(p.domain_of[0]), static_cast<std::size_t>(p.domain_of[1]), bytes);
  members[0].bytes[static_cast<std::size_t>(Port::uplink_out)] = uplinks.of_each_member()[0];
  members[1].bytes[static_cast<std::size_t>(Port::uplink_in)] = uplinks.of_each_member()[1];
  return cost(best, std::move(members), hw);
}

}  // namespace moesim
