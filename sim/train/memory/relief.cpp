#include "train/memory.h"

namespace moesim {
namespace {

/// Larger sizes that split what every rank now holds.
std::vector<std::string> more_splitting(const TrainScenario& s, bool stages) {
  std::vector<std::string> out;
  const std::int64_t layers = s.model.num_layers();
  if (stages && s.parallel.pp * s.parallel.vpp < layers) out.push_back("a larger parallel.pp");
  if (const MoeMlp* moe = s.model.moe(); moe != nullptr && stages && s.parallel.ep < moe->num_experts) out.push_back("a larger parallel.ep");
  if (s.parallel.tp < s.hardware.gpus_per_node) out.push_back("a larger parallel.tp");
  return out;
}

std::vector<std::string> less_activations(const TrainScenario& s) {
  std::vector<std::string> out;
  if (s.recompute.granularity == RecomputeGranularity::none) out.push_back("recompute.granularity=selective or full");
  if (s.recompute.granularity == RecomputeGranularity::selective) out.push_back("recompute.granularity=full");
  if (s.micro_batch_size > 1) out.push_back("a smaller batch.micro_batch_size");
  if (s.parallel.vpp > 1) out.push_back("a smaller parallel.vpp");
  for (std::string& more : more_splitting(s, false)) out.push_back(std::move(more));
  return out;
}

}  // namespace

MemoryRelief relief(const TrainScenario& s) {
  MemoryRelief out;
  out.parameters = more_splitting(s, true);
  out.gradients = out.parameters;
  if (s.precision.grad_reduce == DType::fp32) out.gradients.insert(out.gradients.begin(), "precision.grad_reduce=bf16");
  // Sharded over all replicas, the optimizer's state is the model's over all GPUs whatever the layout.
  out.optimizer = {s.distributed_optimizer ? "more gpus" : "optimizer.distributed=true"};
  if (s.optimizer_moments == DType::fp32) out.optimizer.emplace_back("optimizer.moments=bf16");
  out.activations = less_activations(s);
  if (s.recompute.granularity == RecomputeGranularity::full) out.workspace = {"recompute.granularity=selective"};
  return out;
}

}  // namespace moesim
