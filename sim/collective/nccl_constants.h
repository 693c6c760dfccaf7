// NCCL's tuning constants. Numeric facts from NVIDIA/nccl @5067397c2676 (2.29/2.30 line, 2026-06), src/graph/tuning.cc and topo.h;
// validate/kernels/nccl_tuning_constants.csv has all of them, and a test holds these to it. Latencies in us, bandwidths in GB/s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace moesim::nccl {

enum Protocol : std::size_t { ll, ll128, simple };
using ByProtocol = std::array<double, 3>;

/// Start of a collective, and one hop over NVLink, over PCIe and over the network.
struct AlgorithmLatency {
  ByProtocol base, nvlink, pcie, network;
};
inline constexpr AlgorithmLatency kTree{{6.8, 14.0, 8.4}, {0.6, 1.25, 4.0}, {1.0, 1.9, 4.0}, {5.0, 8.5, 14}};
inline constexpr AlgorithmLatency kRing{{6.6, 14.0, 8.4}, {0.6, 1.9, 3.4}, {1.0, 2.5, 5.7}, {2.7, 4.0, 14.0}};
inline constexpr AlgorithmLatency kNvls{{0, 0, 0}, {0, 0, 25}, {0, 0, 0}, {0, 0, 18}};
inline constexpr AlgorithmLatency kPat{{8, 8, 8}, {0, 0, 4}, {0, 0, 4}, {0, 0, 14}};

/// Of a generation; 0 where it has none.
struct GenerationLimits {
  double ll_most;                    // bus bandwidth of LL on one node
  double ring_ll128_per_channel;     // on one node
  double nvls_share;                 // of the bus bandwidth
};
inline constexpr std::array<GenerationLimits, 3> kGenerations{{{87.7, 20, 0}, {141, 36.7, 0.85}, {282, 40, 0.74}}};   // Ampere, Hopper, Blackwell

// In the formulas of tuning.cc.
inline constexpr double kRingLL = 0.5, kRingLL128 = 0.92, kTreeShare = 0.92, kPatShare = 0.75;   // of the bandwidth of the channels
inline constexpr double kPatHops = 3.5, kPatRank = 2.8;   // PAT: base + log2(nodes) * hop / 3.5 + 2.8 us a rank

}  // namespace moesim::nccl
