// SMs that communication holds: what runs beside kernels at once must leave some to them.
#include <array>
#include <string>

#include "train/scenario/parts.h"

namespace moesim {
namespace {

/// Transfers of one kind that may hold SMs at the same time.
struct Holder {
  const char* key;
  std::int64_t sms = 0;     // of each
  std::int64_t at_once = 0;
  std::int64_t total() const { return sms * at_once; }
};

/// On streams of their own: messages to and from both neighbours, buckets of gradients or parameters of experts and of the rest, and what runs
/// behind kernels of tensor parallelism.
std::array<Holder, 4> holders(const TrainScenario& s) {
  const ParallelLayout layout(s.parallel);
  const bool buckets = s.overlap.grad_reduce || s.overlap.param_gather;
  const std::int64_t kinds = buckets ? (layout.dp() > 1) + (s.model.moe() && layout.edp() > 1) : 0;
  return {Holder{"stack.p2p_sms", s.stack.p2p_sms.value, s.overlap.p2p && s.parallel.pp > 1 ? 4 : 0},
          Holder{"stack.collective_sms", s.stack.collective_sms.value, kinds},
          Holder{"stack.tp_overlap_sms", s.stack.tp_overlap_sms.value, s.overlap.tp ? 1 : 0},
          Holder{"stack.network_sms", s.stack.network_sms.value, 0}};   // at most collective_sms
}

}  // namespace

void check_held_sms(const Section& root, const TrainScenario& s) {
  const std::int64_t sms = s.hardware.gpu.sms.value;
  const std::array<Holder, 4> all = holders(s);
  std::int64_t together = 0;
  std::string sum;
  const Holder* most = &all.front();
  for (const Holder& h : all) {
    if (h.sms >= sms)
      root.fail(h.key, "found " + std::to_string(h.sms) + ", allowed is 0 to " + std::to_string(sms - 1) + ": hardware.gpu.sms is " + std::to_string(sms) + ", and kernels need some");
    if (h.total() == 0) continue;
    together += h.total();
    sum += (sum.empty() ? "" : " + ") + std::to_string(h.at_once) + " x " + std::to_string(h.sms);
    if (h.total() > most->total()) most = &h;
  }
  if (together < sms) return;
  const std::int64_t left = sms - 1 - (together - most->total());
  const std::string allowed = left < 0 ? "less" : "at most " + std::to_string(left / most->at_once);
  root.fail(most->key, "found " + std::to_string(most->sms) + ", allowed is " + allowed + " with hardware.gpu.sms " + std::to_string(sms) + ": transfers that run at once beside kernels would hold " +
                           sum + " = " + std::to_string(together));
}

}  // namespace moesim
