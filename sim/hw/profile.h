// What a machine can do: one GPU, the scale-up domain (NVLink), the scale-out network, the host. Every number has a grade and a
// source. Read from hw_profiles/*.json; `extends` merges a base profile and marks overridden numbers grade `user`.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/dtype.h"
#include "base/units.h"
#include "hw/sourced.h"

namespace moesim {

struct GpuProfile {
  std::string name;                                // "GH200 96 GB"
  Sourced<std::int64_t> sms;
  Sourced<Bytes> memory;                           // capacity as sold
  Sourced<double> usable_memory;                   // share of it that a training job can allocate
  Sourced<Bandwidth> memory_bandwidth;             // peak
  std::map<DType, Sourced<FlopRate>> peak;         // dense tensor-core peak
  Sourced<double> speed_spread;                    // sigma of the per-GPU speed factor
};

/// Roofline constants: time = fixed + max(flops / (compute * sustained * peak * shape), bytes / (memory * bandwidth)).
struct RooflineProfile {
  std::map<DType, Sourced<double>> compute;        // asymptotic share of peak, burst clocks
  std::map<DType, Sourced<double>> sustained;      // clock under a long training load over burst clock, 1 = none
  Sourced<double> memory;                          // share of peak memory bandwidth
  Sourced<Time> fixed;                             // start-up and drain of one kernel
  Sourced<double> half_k;                          // shape term: rate falls as 1 / (1 + half_k / k + half_k / (2 n)); 0 = none
};

/// Attention core: rate(seq) = rate * seq / (seq + half_seq) in FLOP/s, causal half counted.
struct AttentionProfile {
  Sourced<FlopRate> forward;
  Sourced<FlopRate> backward;
  Sourced<double> half_seq;
  Sourced<double> sustained;
  Sourced<double> narrow_head_factor;              // rate factor for head size <= 64
};

struct ComputeProfile {
  RooflineProfile gemm;
  RooflineProfile grouped_gemm;
  AttentionProfile attention;                      // bf16
  Sourced<double> memory_bound;                    // share of peak bandwidth of streaming kernels
  Sourced<double> permute;                         // share of peak bandwidth of token permutation
  Sourced<Time> memory_fixed;                      // constant of one memory-bound kernel
};

enum class ScaleUpKind : std::uint8_t { none, mesh, nvswitch };  // none = PCIe only

struct ScaleUpProfile {
  ScaleUpKind kind = ScaleUpKind::nvswitch;
  std::int64_t domain = 8;                         // GPUs that reach each other without the NIC
  Sourced<Bandwidth> per_gpu;                      // one direction, all links of a GPU
  Sourced<Bandwidth> per_pair;                     // one direction, between two GPUs
  Sourced<double> pair_efficiency;                 // large copies between a pair
  Sourced<double> all_to_all_efficiency;           // of per_gpu, large messages
  Sourced<double> ring_efficiency;                 // of per_gpu: ring all-reduce, all-gather, reduce-scatter, large messages
  std::optional<Sourced<double>> nvls_efficiency;  // of per_gpu: all-reduce busbw with in-switch reduction; absent = no NVLS
  Sourced<Time> base_latency;                      // start of a collective
  Sourced<Time> hop_latency;                       // one step between neighbours
};

struct FabricLevel {                               // from near to far
  std::string name;                                // "leaf", "group", "core"
  std::int64_t gpus;                               // GPUs that share this level, 0 = all
  Sourced<Time> latency;                           // end to end within this level
};

struct ScaleOutProfile {
  std::string fabric;                              // "dragonfly (Slingshot-11)"
  Sourced<Bandwidth> per_gpu;                      // NIC share of a GPU, one direction
  Sourced<double> point_to_point_efficiency;       // large single streams
  Sourced<double> all_to_all_efficiency;
  Sourced<double> ring_efficiency;
  Sourced<Time> base_latency;                      // start of a collective that crosses nodes
  Sourced<Bytes> half_message;                     // message size at half of the bandwidth
  std::vector<FabricLevel> levels;
};

struct HostProfile {
  std::string name;
  Sourced<double> cpu_factor;                      // host times of a stack are multiplied by this (1 = the reference x86 host)
  Sourced<Bandwidth> to_device;
  Sourced<Bandwidth> from_device;
};

struct CostProfile {                               // dated, overridable; never used in tests of fidelity
  std::optional<Sourced<double>> dollars_per_gpu_hour;
  std::optional<Sourced<double>> watts_per_gpu;
};

struct HwProfile {
  std::string name;
  std::string description;
  std::int64_t gpus_per_node = 8;                  // GPUs of one host
  GpuProfile gpu;
  ComputeProfile compute;
  ScaleUpProfile scale_up;
  ScaleOutProfile scale_out;
  HostProfile host;
  CostProfile cost;
  std::vector<std::string> warnings;               // for example a scale-up bandwidth that looks like bits for bytes
};

/// `name_or_path`: a name under `data/hw_profiles`, or a path to a JSON file (it has a '/' or ends in .json).
/// Throws InputError: not found (with the nearest name), malformed.
HwProfile load_hw_profile(const std::string& name_or_path, const std::filesystem::path& data);
/// A profile given in place (inside a scenario): may say `"extends": NAME`; a relative path in `extends` is relative to the folder of the
/// document's name.
HwProfile load_hw_profile(const Document& profile, const std::filesystem::path& data);

/// Names under data/hw_profiles, sorted.
std::vector<std::string> hw_profile_names(const std::filesystem::path& data);

}  // namespace moesim
