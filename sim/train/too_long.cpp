#include "train/too_long.h"

#include <algorithm>
#include <array>

namespace moesim {
namespace {

struct Suspect {
  std::string path;    // of the machine, or of the stack
  double slowness;     // usual value over this one, or this time over the usual one
  bool of_stack = false;
};

constexpr double kFar = 10;   // times slower than usual

/// Usual: a GPU and a network of some years ago, in round figures.
std::vector<Suspect> suspects(const TrainScenario& s) {
  const HwProfile& hw = s.hardware;
  return {{"gpu.memory_bandwidth", 1e12 / hw.gpu.memory_bandwidth.value.count()},
          {"gpu.peak.bf16", 1e14 / hw.gpu.peak.at(DType::bf16).value.count()},
          {"compute.gemm.sustained.bf16", 0.5 / hw.compute.gemm.sustained.at(DType::bf16).value},
          {"compute.gemm.memory", 0.5 / hw.compute.gemm.memory.value},
          {"compute.grouped_gemm.factor", 0.5 / hw.compute.grouped_gemm.factor.value},
          {"compute.attention.forward", 1e14 / hw.compute.attention.forward.value.count()},
          {"compute.attention.backward", 1e14 / hw.compute.attention.backward.value.count()},
          {"compute.attention.sustained", 0.5 / hw.compute.attention.sustained.value},
          {"compute.memory_bound", 0.5 / hw.compute.memory_bound.value},
          {"compute.permute", 0.5 / hw.compute.permute.value},
          {"scale_up.per_gpu", 1e11 / hw.scale_up.per_gpu.value.count()},
          {"scale_up.per_pair", 1e10 / hw.scale_up.per_pair.value.count()},
          {"scale_up.ring_efficiency", 0.5 / hw.scale_up.ring_efficiency.value},
          {"scale_up.all_to_all_efficiency", 0.5 / hw.scale_up.all_to_all_efficiency.value},
          {"scale_out.per_gpu", 1e10 / hw.scale_out.per_gpu.value.count()},
          {"scale_out.ring_efficiency", 0.5 / hw.scale_out.ring_efficiency.value},
          {"scale_out.all_to_all_efficiency", 0.5 / hw.scale_out.all_to_all_efficiency.value},
          {"scale_out.base_latency", seconds(hw.scale_out.base_latency.value) / 1e-4},
          {"scale_up.base_latency", seconds(hw.scale_up.base_latency.value) / 1e-4},
          {"compute.gemm.fixed", seconds(hw.compute.gemm.fixed.value) / 1e-5},
          {"compute.memory_fixed", seconds(hw.compute.memory_fixed.value) / 1e-5},
          {"host.cpu_factor", hw.host.cpu_factor.value / 3}};
}

/// Times of the host: usual are those of a slow stack of today, in round figures.
std::vector<Suspect> host_suspects(const Stack& stack) {
  const auto per = [](const Sourced<Time>& t, double usual) { return seconds(t.value) / usual; };
  return {{"host_per_kernel_forward", per(stack.host_per_kernel_forward, 1e-5), true},
          {"host_per_kernel_backward", per(stack.host_per_kernel_backward, 1e-5), true},
          {"launch_latency", per(stack.launch_latency, 1e-5), true},
          {"host_sync", per(stack.host_sync, 1e-4), true},
          {"host_per_moe_layer", per(stack.host_per_moe_layer, 1e-3), true},
          {"host_per_moe_layer_tp", per(stack.host_per_moe_layer_tp, 1e-3), true},
          {"host_per_local_expert", per(stack.host_per_local_expert, 1e-4), true},
          {"host_per_local_expert_fp8", per(stack.host_per_local_expert_fp8, 1e-4), true},
          {"host_per_recompute_module", per(stack.host_per_recompute_module, 1e-3), true},
          {"host_per_step", per(stack.host_per_step, 1), true}};
}

std::string value_of(const std::vector<ProfileNumber>& numbers, const std::string& path) {
  const auto at = std::find_if(numbers.begin(), numbers.end(), [&](const ProfileNumber& n) { return n.path == path; });
  return at == numbers.end() ? "" : " of " + at->value;
}

}  // namespace

std::string too_long_text(const TrainScenario& s) {
  const std::string what = s.name + ": a step takes longer than " + std::to_string(kLongestTime / kSecond / 86'400) + " days";
  std::vector<Suspect> all = suspects(s);
  const std::vector<Suspect> host = host_suspects(s.stack);
  all.insert(all.end(), host.begin(), host.end());
  const Suspect& worst = *std::max_element(all.begin(), all.end(), [](const Suspect& a, const Suspect& b) { return a.slowness < b.slowness; });
  if (worst.slowness >= kFar && worst.of_stack)
    return what + "; " + worst.path + value_of(s.stack.numbers, worst.path) + " in " + s.stack.name + " is far from what software takes";
  if (worst.slowness >= kFar) return what + "; " + worst.path + value_of(s.hardware.numbers, worst.path) + " in " + s.hardware.name + " is far from what machines have";
  return what + "; batch.global_batch_size is " + std::to_string(s.global_batch_size) + ", batch.seq_length " + std::to_string(s.seq_length);
}

}  // namespace moesim
