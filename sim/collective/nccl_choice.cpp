#include "collective/nccl_choice.h"

#include <algorithm>
#include <array>

#include "collective/nccl_constants.h"

namespace moesim {
namespace {

/// Channels that NCCL's search finds on a full node, and the bus bandwidth that they come to, GB/s.
struct Channels {
  double bus, count;
};

// A100: 12 channels of 20 GB/s. Hopper: 6 x 60 of 18 links x 20.6 GB/s, 16 in use. Blackwell: 8 x 90 of 18 x 40.1, 16 in use.
constexpr std::array<Channels, 3> kChannels{{{240, 12}, {360, 16}, {720, 16}}};

constexpr double kNvlsChannels = 15.0 / 16;   // one of them sends headers
constexpr std::int64_t kFewestForNvls = 5;    // stas00: in-switch reduction sets in at five GPUs on H200
constexpr double kLargestLLMessage = 16384;   // of one pair: NCCL_P2P_LL_THRESHOLD

/// In us.
double ring_time(nccl::Protocol p, double steps, double gigabytes, double rate) {
  return nccl::kRing.base[p] + nccl::kRing.nvlink[p] * steps + gigabytes / rate * 1e6;
}

}  // namespace

std::string_view name(NcclGeneration g) {
  switch (g) {
    case NcclGeneration::ampere: return "ampere";
    case NcclGeneration::hopper: return "hopper";
    case NcclGeneration::blackwell: return "blackwell";
  }
  return "";
}

NcclGeneration nccl_generation(const HwProfile& hw) {
  const double rate = hw.scale_up.per_gpu.value.count();
  return rate <= 300e9 ? NcclGeneration::ampere : rate <= 450e9 ? NcclGeneration::hopper : NcclGeneration::blackwell;
}

std::int64_t ring_steps(CollectiveOp op, std::int64_t gpus) { return (op == CollectiveOp::all_reduce ? 2 : 1) * (gpus - 1); }

NcclPick nccl_pick(CollectiveOp op, double bytes, std::int64_t gpus, NcclGeneration g) {
  const nccl::GenerationLimits limits = nccl::kGenerations[static_cast<std::size_t>(g)];
  const auto [bus, channels] = kChannels[static_cast<std::size_t>(g)];
  const double moved = bytes * bus_factor(op, gpus) / 1e9, ll_rate = std::min(limits.ll_most, bus * nccl::kRingLL);
  if (op == CollectiveOp::all_to_all) {
    const bool ll = bytes / static_cast<double>(gpus) <= kLargestLLMessage;
    const double us = ll ? ring_time(nccl::ll, static_cast<double>(gpus - 1), moved, ll_rate) : ring_time(nccl::simple, 1, moved, bus);
    return {"pairwise", ll ? "LL" : "Simple", 1e-6 * us};
  }
  const auto steps = static_cast<double>(ring_steps(op, gpus));
  NcclPick best{"ring", "LL", ring_time(nccl::ll, steps, moved, ll_rate)};
  const auto take = [&best](NcclPick p) {
    if (p.seconds < best.seconds) best = p;
  };
  take({"ring", "LL128", ring_time(nccl::ll128, steps, moved, std::min(bus * nccl::kRingLL128, channels * limits.ring_ll128_per_channel))});
  take({"ring", "Simple", ring_time(nccl::simple, steps, moved, bus)});
  if (op == CollectiveOp::all_reduce && limits.nvls_share > 0 && gpus >= kFewestForNvls)
    take({"nvls", "Simple", nccl::kNvls.nvlink[nccl::simple] + moved / (2 * bus * limits.nvls_share * kNvlsChannels) * 1e6});
  best.seconds *= 1e-6;
  return best;
}

}  // namespace moesim
