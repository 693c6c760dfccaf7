#include "collective/nccl_choice.h"

#include <algorithm>

#include "base/error.h"

namespace moesim {
namespace {

struct Constants {
  double bus;          // GB/s: channels x speed of one, as NCCL's search finds them on a full node
  double ll_most;      // GB/s
  double ll128_most;   // GB/s: channels x 20, 36.7, 40
  double nvls;         // share of the bus; 0 without
};

// A100: 12 channels of 20 GB/s. Hopper: 6 x 60 of 18 links x 20.6 GB/s, 16 in use. Blackwell: 8 x 90 of 18 x 40.1, 16 in use.
constexpr Constants constants(NcclGeneration g) {
  switch (g) {
    case NcclGeneration::ampere: return {240, 87.7, 12 * 20.0, 0};
    case NcclGeneration::hopper: return {360, 141, 16 * 36.7, 0.85};
    case NcclGeneration::blackwell: return {720, 282, 16 * 40.0, 0.74};
  }
  return {};
}

constexpr double kNvlsChannels = 15.0 / 16;   // one of them sends headers
constexpr std::int64_t kFewestForNvls = 5;    // stas00: in-switch reduction sets in at five GPUs on H200
constexpr double kLargestLLMessage = 16384;   // of one pair: NCCL_P2P_LL_THRESHOLD

double microseconds(double base, double hop, std::int64_t steps, double gigabytes_moved, double rate) {
  return base + hop * static_cast<double>(steps) + gigabytes_moved / rate * 1e6;
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
  const Constants c = constants(g);
  const double moved = bytes * bus_factor(op, gpus) / 1e9;
  if (op == CollectiveOp::all_to_all) {
    const bool ll = bytes / static_cast<double>(gpus) <= kLargestLLMessage;
    return {"pairwise", ll ? "LL" : "Simple", 1e-6 * (ll ? microseconds(6.6, 0.6, gpus - 1, moved, std::min(c.ll_most, c.bus / 2)) : microseconds(8.4, 3.4, 1, moved, c.bus))};
  }
  const std::int64_t steps = ring_steps(op, gpus);
  NcclPick best{"ring", "LL", microseconds(6.6, 0.6, steps, moved, std::min(c.ll_most, c.bus / 2))};
  const auto take = [&best](NcclPick p) {
    if (p.seconds < best.seconds) best = p;
  };
  take({"ring", "LL128", microseconds(14, 1.9, steps, moved, std::min(0.92 * c.bus, c.ll128_most))});
  take({"ring", "Simple", microseconds(8.4, 3.4, steps, moved, c.bus)});
  if (op == CollectiveOp::all_reduce && c.nvls > 0 && gpus >= kFewestForNvls)
    take({"nvls", "Simple", microseconds(25, 0, 0, moved, 2 * c.bus * c.nvls * kNvlsChannels)});
  best.seconds *= 1e-6;
  return best;
}

}  // namespace moesim
