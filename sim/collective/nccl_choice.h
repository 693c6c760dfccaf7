// What NCCL's own model picks for GPUs behind one NVLink switch, and how long it thinks that takes. Formulas and constants: NVIDIA/nccl
// src/graph/tuning.cc and topo.h @5067397c2676 (2.29/2.30 line). The pick is what NCCL runs; its time is an estimate that measurements miss.
#pragma once

#include <cstdint>
#include <string_view>

#include "collective/collective.h"

namespace moesim {

enum class NcclGeneration : std::uint8_t { ampere, hopper, blackwell };
std::string_view name(NcclGeneration);

/// By the NVLink bandwidth of a GPU: 300, 450 and 900 GB/s.
NcclGeneration nccl_generation(const HwProfile&);

struct NcclPick {
  std::string_view algorithm, protocol;   // "ring", "nvls", "pairwise"; "LL", "LL128", "Simple"
  double seconds = 0;                     // NCCL's estimate
};

/// `gpus` >= 2, `bytes` > 0. all_to_all is no algorithm of NCCL's but sends and receives: LL up to 16 KiB a peer.
NcclPick nccl_pick(CollectiveOp, double bytes, std::int64_t gpus, NcclGeneration);

/// Steps of a ring: 2 (n - 1) for all_reduce, else n - 1.
std::int64_t ring_steps(CollectiveOp, std::int64_t gpus);

}  // namespace moesim
