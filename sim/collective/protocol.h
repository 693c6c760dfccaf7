// NCCL's wire protocols and the latencies of its algorithms. Constants and formulas: NVIDIA/nccl src/graph/tuning.cc (2.29 line).
//
// The profile's base and hop latency are those of LL, the protocol of small messages (Hopper: 6.6 us and 0.6 us); the other protocols
// cost the ratios that NCCL gives. One hop over the network takes the end-to-end latency of the fabric level plus what the protocol
// adds: chosen so that at 2.7 us end to end the hops are NCCL's (LL 2.7, LL128 4.0 us); what Simple adds is the profile's bulk_overhead
// (NCCL: 14 us a hop, so 8.6 us).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collective/nccl_constants.h"
#include "collective/placement.h"
#include "hw/profile.h"

namespace moesim {

struct Protocol {
  std::string_view name;
  double base, hop;          // multiples of the profile's latencies
  double network;            // multiple of the end-to-end latency (Simple flushes: there and back)
  double network_extra;      // seconds beyond that
  bool bulk;                 // and the profile's bulk_overhead
  double overhead;           // least seconds of a hop inside a domain when the collective crosses domains
  double inside, across;     // share of the bandwidth that is left within a domain, and over domains
  double payload;            // of the bytes that pass a port
};

// LL carries 8-byte words that are half flag, and few of them: NCCL caps it at 141 of 450 GB/s on a Hopper node (0.4 of what a ring
// reaches) and at 45 to 35 GB/s of bus bandwidth over nodes (0.1): a lone transfer leaves room on the port. LL128 carries 120 of 128 bytes.
constexpr double ring_base_over_ll(nccl::Protocol p) { return nccl::kRing.base[p] / nccl::kRing.base[nccl::ll]; }
constexpr double ring_hop_over_ll(nccl::Protocol p) { return nccl::kRing.nvlink[p] / nccl::kRing.nvlink[nccl::ll]; }
inline constexpr Protocol kLL{"LL", 1, 1, 1, 0, false, 1e-6, 0.4, 0.1, nccl::kRingLL};
inline constexpr Protocol kLL128{"LL128", ring_base_over_ll(nccl::ll128), ring_hop_over_ll(nccl::ll128), 1, 1.3e-6, false, 1e-6,
                                 nccl::kRingLL128, nccl::kRingLL128, nccl::kRingLL128};
inline constexpr Protocol kSimple{"Simple", ring_base_over_ll(nccl::simple), ring_hop_over_ll(nccl::simple), 2, 0, true, 3e-6, 1, 1, 1};

/// Latencies, in seconds, of one protocol for one group.
class Latencies {
 public:
  Latencies(const Protocol&, const Placement&, const HwProfile&);

  double base() const { return base_; }
  double hop() const { return hop_; }            // between neighbours of one domain
  double network() const { return network_; }    // between domains
  /// A ring that makes `steps` steps, `crossings` of them between domains.
  double ring(std::int64_t steps, std::int64_t crossings) const;
  /// Reduction up and broadcast down a tree over the domains, each domain a chain of at most `chain` members.
  double tree(std::int64_t chain, std::int64_t domains) const;
  /// PAT among one member a domain.
  double pat(std::int64_t domains) const;
  /// Sends to and receives from every member at once.
  double pairwise(std::int64_t inside, std::int64_t domains) const;

 private:
  double base_, hop_, network_;
};

/// The protocols that NCCL may use for this group, as pointers to the constants above.
std::vector<const Protocol*> usable_protocols(const Placement&, const HwProfile&);

/// The protocol's share of the bandwidth for this group.
double bandwidth_share(const Protocol&, const Placement&);

/// ceil(log2(n)) for n >= 1.
std::int64_t ceil_log2(std::int64_t n);

}  // namespace moesim
