// The software that drives the machine: what it costs the host to launch a kernel, and which kernels are fused. Read from
// hw_profiles/stacks/*.json. Host times are for the reference x86 host; HostProfile::cpu_factor scales them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/units.h"
#include "hw/sourced.h"

namespace moesim {

struct Stack {
  std::string name;          // "megatron-core-2026.04"
  std::string description;
  Sourced<Time> host_per_kernel_forward;    // Python, dispatch and launch of one kernel, eager
  Sourced<Time> host_per_kernel_backward;
  Sourced<Time> launch_latency;             // from the end of the host's launch call to the kernel's start on an idle stream
  Sourced<Time> host_sync;                  // host time of a device -> host synchronisation, after the device is done
  Sourced<Time> host_per_moe_layer;         // host time of a MoE layer and pass beyond its launches (modules of router and dispatcher)
  Sourced<Time> host_per_moe_layer_tp;      // more of it when tp > 1
  Sourced<Time> host_per_local_expert;      // host time per local expert and pass of the MoE layer (loops over experts)
  Sourced<Time> host_per_local_expert_fp8;  // the same when experts compute in fp8 or fp4
  Sourced<Time> host_per_recompute_module;  // host time per recomputed module and layer
  Sourced<Time> host_per_step;              // once a step: optimizer launch, data, logging
  Sourced<std::int64_t> collective_sms;     // SMs that a collective's kernel holds: its channels; 0 = copy engines
  Sourced<std::int64_t> network_sms;        // the same where the group has one GPU in each of several scale-up domains
  Sourced<std::int64_t> p2p_sms;            // the same of a message between two GPUs
  Sourced<std::int64_t> tp_overlap_sms;     // the same of tensor-parallel transfers that run behind kernels
  Sourced<Time> kernel_gap;                 // device time between two kernels launched one by one, beyond what their own times hold
  Sourced<Time> host_per_graph;             // host time to launch a CUDA graph, whatever is in it
  Sourced<double> graphed_moe_share;        // of host_per_moe_layer: what is gone when router and preprocessing are graphed
  // Modules that run as CUDA graphs (Megatron's cuda-graph-modules): forward one graph, backward another.
  bool cuda_graph_attn = false, cuda_graph_mlp = false, cuda_graph_moe = false, cuda_graph_moe_router = false, cuda_graph_moe_preprocess = false;
  bool fused_attention = true;              // no = scores go through memory
  bool permute_fusion = true;
  bool router_fusion = true;
  bool cross_entropy_fusion = true;
  std::vector<ProfileNumber> numbers;       // every number above, in the order of the file
};

/// As load_hw_profile, for `data/hw_profiles/stacks`.
Stack load_stack(const std::string& name_or_path, const std::filesystem::path& data);
Stack load_stack(const Document&, const std::filesystem::path& data);
std::vector<std::string> stack_names(const std::filesystem::path& data);

}  // namespace moesim
