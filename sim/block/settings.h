// Choices that change what one layer runs and keeps: number formats, recomputation, capacity, dispatcher, fusions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "collective/dispatcher.h"
#include "hw/stack.h"
#include "model/spec.h"
#include "moe/dispatch_plan.h"
#include "parallel/layout.h"

namespace moesim {

struct Precision {
  DType compute = DType::bf16;         // GEMMs of attention, dense and expert units
  DType grad_reduce = DType::fp32;     // gradients on the wire (and the main gradient buffer)
  DType param_gather = DType::bf16;
  DType dispatch = DType::bf16;        // MoE dispatch; combine is bf16
};

enum class RecomputeGranularity : std::uint8_t { none, selective, full };

struct Recompute {
  RecomputeGranularity granularity = RecomputeGranularity::none;
  // Modules of selective recomputation.
  bool core_attn = false, layernorm = false, mla_up_proj = false, mlp = false, moe = false, moe_act = false, shared_experts = false;
};

/// Everything that fixes the kernels of a layer on one rank, but the expert load.
struct LayerSettings {
  const ModelSpec* model = nullptr;
  ParallelSizes parallel;              // etp resolved
  std::int64_t seq_length = 0, micro_batch_size = 1;
  bool sequence_parallel = true;       // only matters with tp > 1
  bool tp_overlap = false;             // transfers in the backward of column-split linears run behind its GEMMs
  Precision precision;
  Recompute recompute;
  CapacityRule capacity;
  const Dispatcher* dispatcher = nullptr;   // null for dense models
  std::int64_t dispatch_group_limit = 0;
  const Stack* stack = nullptr;
  double host_factor = 1;              // HostProfile::cpu_factor

  /// Tokens of a micro-batch on one rank: in attention (seq / cp), and where sequence parallelism splits them (seq / cp / tp).
  std::int64_t tokens() const { return seq_length * micro_batch_size / parallel.cp; }
  std::int64_t split_tokens() const { return sequence_parallel ? tokens() / parallel.tp : tokens(); }
  /// Tokens that one rank routes in a MoE layer.
  std::int64_t routed_tokens() const { return split_tokens(); }
};

}  // namespace moesim
