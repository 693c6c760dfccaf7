#include "cost/cost_model.h"

namespace moesim {

HostModel::HostModel(const Stack& stack, const HostProfile& host) : stack_(stack), factor_(host.cpu_factor.value) {}

Time HostModel::work(Time reference) const { return time_from_seconds(seconds(reference) * factor_); }

// Recomputed kernels run forward code and cost forward launches.
Time HostModel::launch(const Op& op) const {
  if (op.graphed) return Time{0};
  const bool forward = op.pass == Pass::forward || op.recompute;
  const Time one = (forward ? stack_.host_per_kernel_forward : stack_.host_per_kernel_backward).value;
  return work(one * static_cast<std::int64_t>(op.kernels));
}

Time HostModel::device_gap(const Op& op) const { return op.graphed ? Time{0} : stack_.kernel_gap.value * static_cast<std::int64_t>(op.kernels); }

// The latency is bus and front end of the GPU, not the speed of the CPU.
Time HostModel::launch_latency() const { return stack_.launch_latency.value; }

Time HostModel::sync() const { return work(stack_.host_sync.value); }

Time HostModel::per_moe_layer(bool tensor_parallel) const {
  return work(stack_.host_per_moe_layer.value + (tensor_parallel ? stack_.host_per_moe_layer_tp.value : Time{0}));
}

Time HostModel::per_local_expert(DType type) const {
  const bool narrow = type == DType::fp8 || type == DType::fp4;
  return work((narrow ? stack_.host_per_local_expert_fp8 : stack_.host_per_local_expert).value);
}

Time HostModel::per_recompute_module() const { return work(stack_.host_per_recompute_module.value); }

Time HostModel::per_step() const { return work(stack_.host_per_step.value); }

}  // namespace moesim
