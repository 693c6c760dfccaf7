#include "train/memory.h"

#include <algorithm>

#include "block/activations.h"
#include "train/layer_settings.h"
#include "train/schedule.h"

namespace moesim {
namespace {

constexpr Bytes kFramework{1'500'000'000};  // CUDA context, cuBLAS and NCCL buffers of a large job; assumed

/// Bytes a parameter, by Megatron-LM's theoretical memory: 18 in all, or 6 + 12 / d with the distributed optimizer over d ranks;
/// two less where gradients are kept in bf16, four where both moments are. Weights computed in fp8 are kept quantised in both directions (2 bytes) beside the
/// bf16 copy, unless the optimizer writes fp8 weights (Megatron-MoE-ModelZoo, docs: 8 + 12 / d).
struct BytesPerParameter {
  std::int64_t parameters = 2, gradients = 4, optimizer = 12;   // main parameters 4, moments 4 each
};

BytesPerParameter bytes_per_parameter(const TrainScenario& s) {
  const Precision& p = s.precision;
  BytesPerParameter out;
  out.optimizer = 4 + 2 * bits(s.optimizer_moments) / 8;
  if (p.compute == DType::fp8 && p.param_gather != DType::fp8) out.parameters = 4;
  out.gradients = bits(p.grad_reduce) / 8;
  return out;
}

/// Saved bytes of the parts that stages are made of, for one micro-batch on the most loaded rank.
class Saved {
 public:
  explicit Saved(const TrainScenario& s) : s_(s), layer_(layer_settings(s)), copies_(most_token_copies(s)) {
    for (const LayerKind& kind : s.model.kinds) {
      of_kind_.push_back(saved_by_layer(layer_.settings, kind).at(copies_));
      workspace_of_kind_.push_back(recompute_workspace(layer_.settings, kind, copies_));
    }
    if (s.model.mtp_layers > 0) workspace_of_mtp_ = recompute_workspace(layer_.settings, s.model.mtp_kind(), copies_);
  }

  Bytes chunk(const StageChunk& c) const {
    Bytes sum{0};
    if (c.embedding) sum += saved_by_embedding(layer_.settings).at(copies_);
    for (std::int64_t l = c.first_layer; l < c.first_layer + c.num_layers; ++l) sum += of_kind_[kind(l)];
    if (c.mtp_layers > 0) sum += saved_by_mtp(layer_.settings).at(copies_) * c.mtp_layers;
    if (c.loss) sum += saved_by_head(layer_.settings).at(copies_) * (1 + s_.model.mtp_layers);
    return sum;
  }

  Bytes workspace(const StageChunk& c) const {
    Bytes most = c.mtp_layers > 0 ? workspace_of_mtp_ : Bytes{0};
    for (std::int64_t l = c.first_layer; l < c.first_layer + c.num_layers; ++l) most = std::max(most, workspace_of_kind_[kind(l)]);
    return most;
  }

 private:
  std::size_t kind(std::int64_t layer) const { return s_.model.layers[static_cast<std::size_t>(layer)]; }

  const TrainScenario& s_;
  OwnedLayerSettings layer_;
  std::int64_t copies_;
  std::vector<Bytes> of_kind_, workspace_of_kind_;
  Bytes workspace_of_mtp_{0};
};

/// Walks the stage's actions: a forward adds what its chunk saves, a backward frees it.
void add_activations(StageMemory& to, const TrainScenario& s, const Saved& saved, const Schedule& schedule) {
  std::vector<Bytes> chunk;
  for (std::int64_t c = 0; c < s.stages.vpp(); ++c) {
    chunk.push_back(saved.chunk(s.stages.chunk(to.stage, c)));
    to.workspace = std::max(to.workspace, saved.workspace(s.stages.chunk(to.stage, c)));
  }
  Bytes live{0};
  std::int64_t in_flight = 0;
  for (const Action& a : schedule.actions({s.parallel.pp, s.parallel.vpp, s.num_micro_batches}, to.stage)) {
    if (a.kind == Action::Kind::forward) {
      live += chunk[a.chunk];
      ++in_flight;
      if (live == to.activations) to.peak_in_flight = std::max(to.peak_in_flight, in_flight);
      if (live <= to.activations) continue;
      to.activations = live;
      to.peak_in_flight = in_flight;
    } else {
      live -= chunk[a.chunk];
      --in_flight;
    }
  }
}

void add_parameters(StageMemory& to, const TrainScenario& s, const ParallelLayout& layout) {
  const StageParams p = stage_params(s, to.stage);
  const BytesPerParameter b = bytes_per_parameter(s);
  const std::int64_t dense_shards = s.distributed_optimizer ? layout.group_size(GroupKind::dp_cp) : 1;
  const std::int64_t routed_shards = s.distributed_optimizer ? layout.edp() : 1;
  to.parameters = Bytes{b.parameters * (p.dense + p.routed)};
  to.gradients = Bytes{b.gradients * (p.dense + p.routed)};
  to.optimizer = Bytes{b.optimizer * (ceil_div(p.dense, dense_shards) + ceil_div(p.routed, routed_shards))};
}

}  // namespace

MemoryReport memory(const TrainScenario& s) {
  const ParallelLayout layout(s.parallel);
  const Saved saved(s);
  const std::unique_ptr<Schedule> schedule = schedules().make(s.schedule);
  MemoryReport out;
  out.relief = relief(s);
  out.capacity = Bytes{
      static_cast<std::int64_t>(static_cast<double>(s.hardware.gpu.memory.value.count()) * s.hardware.gpu.usable_memory.value)};
  for (std::int64_t stage = 0; stage < s.stages.pp(); ++stage) {
    StageMemory m;
    m.stage = stage;
    m.framework = kFramework;
    add_parameters(m, s, layout);
    add_activations(m, s, saved, *schedule);
    out.stages.push_back(m);
    if (m.total() > out.stages[out.peak_stage].total()) out.peak_stage = out.stages.size() - 1;
  }
  return out;
}

}  // namespace moesim
