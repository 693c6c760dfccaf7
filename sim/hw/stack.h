// The software that drives the machine: what it costs the host to launch a kernel, and which kernels are fused. Read from
// hw_profiles/stacks/*.json. Host times are for the reference x86 host; HostProfile::cpu_factor scales them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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
  Sourced<Time> host_per_local_expert;      // host time per local expert and pass of the MoE layer (loops over experts)
  Sourced<Time> host_per_recompute_module;  // host time per recomputed module and layer
  Sourced<Time> host_per_step;              // once a step: optimizer launch, data, logging
  bool permute_fusion = true;
  bool router_fusion = true;
  bool cross_entropy_fusion = true;
};

Stack load_stack(const std::string& name_or_path, const std::filesystem::path& data);
std::vector<std::string> stack_names(const std::filesystem::path& data);

}  // namespace moesim
