// What a machine can do: one GPU, the scale-up domain (NVLink), the scale-out network, the host. Every number has a grade and a
// source. Read from hw_profiles/*.json; `extends` merges a base profile, and bare values get the grade `user`.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/dtype.h"
#include "base/units.h"
#include "hw/collective_curves.h"
#include "hw/measured.h"
#include "hw/sourced.h"

namespace moesim {

struct GpuProfile {
  std::string name;                                // "GH200 96 GB"
  Sourced<std::int64_t> sms;
  Sourced<Bytes> memory;                           // capacity as sold
  Sourced<double> usable_memory;                   // share of it that a training job can allocate
  Sourced<Bandwidth> memory_bandwidth;             // peak
  std::map<DType, Sourced<FlopRate>> peak;         // dense; a format that is absent does not run on this machine
  Sourced<double> speed_spread;                    // sigma of the per-GPU speed factor
};

/// Matrix multiplication: time = fixed + max(flops * (1 + half_k / k + half_k / (2 n)) / (share * peak), bytes / (memory * bandwidth)),
/// k the reduction length and n the width of the result, is what kernel benchmarks of milliseconds see, with the share `burst`. In a training
/// step of minutes power caps the rate: no multiplication takes less than flops / (sustained * peak), whatever its shape.
struct GemmProfile {
  std::map<DType, Sourced<double>> burst;          // share of peak for large shapes
  std::map<DType, Sourced<double>> sustained;
  Sourced<double> memory;                          // share of peak memory bandwidth
  Sourced<Time> fixed;                             // start-up and drain of one kernel
  Sourced<double> half_k;                          // shape term: prologue and tile quantisation; 0 = none
};

struct GroupedGemmProfile {
  Sourced<double> factor;                          // rate over that of one GEMM after the other
};

/// Attention core: rate = forward (or backward) * seq / (seq + half_seq) * tiles / (tiles + half_tiles) in FLOP/s, causal half counted;
/// tiles of 128 queries that an SM gets, over all heads and sequences.
struct AttentionProfile {
  Sourced<FlopRate> forward;                       // bf16, head size 128, burst clocks
  Sourced<FlopRate> backward;
  Sourced<double> half_seq;
  Sourced<double> forward_half_tiles;
  Sourced<double> backward_half_tiles;
  Sourced<double> sustained;                       // factor under a long training load
  Sourced<double> narrow_head_factor;              // rate factor for head size 64
};

struct ComputeProfile {
  GemmProfile gemm;
  GroupedGemmProfile grouped_gemm;
  AttentionProfile attention;
  Sourced<double> memory_bound;                    // share of peak bandwidth of streaming kernels
  std::optional<Sourced<double>> memory_large;     // the share that they come to with bytes far beyond memory_half; absent = the same
  std::optional<Sourced<Bytes>> memory_half;       // where they are half-way
  Sourced<double> permute;                         // share of peak bandwidth of token permutation, for bytes read and written once
  Sourced<Time> memory_fixed;                      // constant of one kernel that is not a matrix multiplication
};

struct HwProfile;

enum class ScaleUpKind : std::uint8_t { none, mesh, nvswitch };  // none = PCIe only

struct ScaleUpProfile {
  ScaleUpKind kind = ScaleUpKind::nvswitch;
  std::int64_t domain = 8;                         // GPUs that reach each other without the NIC
  Sourced<Bandwidth> per_gpu;                      // one direction, all links of a GPU
  Sourced<Bandwidth> per_pair;                     // one direction, between two GPUs; unless given: per_gpu, in a mesh per_gpu / (domain - 1)
  Sourced<double> pair_efficiency;                 // large copies between a pair
  Sourced<double> all_to_all_efficiency;           // of per_gpu, large messages
  Sourced<double> ring_efficiency;                 // of per_gpu: ring all-reduce, all-gather, reduce-scatter, large messages
  std::optional<Sourced<double>> nvls_efficiency;  // of per_gpu: busbw of large all-reduces of eight GPUs with in-switch reduction, its
                                                   // start left out; absent = no NVLS
  Sourced<Time> base_latency;                      // start of a collective of small messages (NCCL's LL protocol)
  Sourced<Time> hop_latency;                       // one step between neighbours, LL
  std::shared_ptr<const CollectiveCurves> curves;  // "curves": a name under hw_profiles/measured/collectives, or a path; none = formulas only
  std::shared_ptr<const HwProfile> timed_on;       // this machine as it was when they were timed; nullptr: nothing but bandwidths has changed
  std::shared_ptr<const CollectiveCurves> fused;   // "fused_all_reduce": the same for all-reduce kernels of serving engines, whose names are its
                                                   // operations; files under measured/collectives/fused
};

struct FabricLevel {                               // from near to far
  std::string name;                                // "leaf", "group", "core"
  std::int64_t gpus = 0;                           // GPUs of a job that share this level, 0 = all (the last level); whole places of the
                                                   // level before, and whole scale-up domains, so at most what the file says
  Sourced<Time> latency;                           // end to end within this level
};

/// tree: switches in levels. rail_tree: the same, but the NICs of a node each have a leaf switch of their own. dragonfly: groups of switches that are
/// all joined, and global links between groups. dragonfly_plus: groups that are trees of two levels.
enum class FabricKind : std::uint8_t { tree, rail_tree, dragonfly, dragonfly_plus };
/// How flows are dealt out over parallel links: evenly as they load up, or each to one by a hash (ECMP).
enum class Routing : std::uint8_t { adaptive, ecmp };

struct FabricTopology {
  FabricKind kind = FabricKind::tree;
  Routing routing = Routing::adaptive;
  Sourced<double> taper{1, Grade::derived, ""};    // bandwidth of the NICs below over that of the uplinks into the last level; a place below without
                                                   // another level is a scale-up domain. Given, or from global_links_per_group_pair
  std::optional<Sourced<double>> flows_per_gpu;    // that leave a GPU at once, for a hash to deal out; only with ecmp
  std::optional<Sourced<std::int64_t>> groups, global_links_per_group_pair;   // of a dragonfly; links as fast as a GPU's NIC
  double spread = 1;                               // what the hash leaves of the uplinks; 1 if adaptive, or where NICs have no choice
};

struct ScaleOutProfile {
  std::string fabric;                              // "dragonfly (Slingshot-11)"
  Sourced<Bandwidth> per_gpu;                      // NIC share of a GPU, one direction
  Sourced<double> point_to_point_efficiency;       // large single streams
  Sourced<double> all_to_all_efficiency;
  Sourced<double> ring_efficiency;
  Sourced<Time> base_latency;                      // start of a collective that crosses nodes, LL, without its hops
  Sourced<Bytes> half_message;                     // message size at half of the bandwidth
  Sourced<Time> bulk_overhead;                     // what a step of large messages between nodes (NCCL's Simple protocol) takes beyond
                                                   // twice the latency: proxy thread, rendezvous
  bool ll128 = true;                               // NCCL's LL128 protocol works over this fabric
  std::vector<FabricLevel> levels;
  FabricTopology topology;
  std::shared_ptr<const CollectiveCurves> curves;  // of groups of whole scale-up domains
  std::shared_ptr<const HwProfile> timed_on;       // as ScaleUpProfile::timed_on
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

/// Timed kernels of this device, or of one like it.
struct MeasuredProfile {
  std::string name;                                // under hw_profiles/measured, or a path to a JSON file; "" = none
  std::string fp8 = "fp8";                         // format of its curves that FP8 multiplications run in: "fp8" or "fp8_block"
  std::filesystem::path file;                      // what the name stands for
  std::shared_ptr<const MeasuredCurves> curves;    // and what is in it
};

struct HwProfile {
  std::string name;
  std::string description;
  std::int64_t gpus_per_node = 8;                  // GPUs of one host
  GpuProfile gpu;
  ComputeProfile compute;
  MeasuredProfile measured;
  ScaleUpProfile scale_up;
  ScaleOutProfile scale_out;
  HostProfile host;
  CostProfile cost;
  std::vector<ProfileNumber> numbers;              // every number above, in the order of the file, for tables
  std::vector<std::string> warnings;               // for example a scale-up bandwidth that looks like bits for bytes
};

/// Whether the file that `measured` names is read: not by who writes it.
enum class Curves : std::uint8_t { read, left };

/// `name_or_path`: a name under `data/hw_profiles`, or a path to a JSON file (it has a '/' or ends in .json).
/// Throws InputError: not found (with the nearest name), malformed.
HwProfile load_hw_profile(const std::string& name_or_path, const std::filesystem::path& data, Curves = Curves::read);
/// A profile given in place (inside a scenario): may say `"extends": NAME`; a relative path in `extends` is relative to the folder of the
/// document's name.
HwProfile load_hw_profile(const Document& profile, const std::filesystem::path& data, Curves = Curves::read);

/// Names under data/hw_profiles, sorted.
std::vector<std::string> hw_profile_names(const std::filesystem::path& data);

/// The curves of MoE layers that stand beside the others of a machine, in NAME-moe.json: read on demand, as they are longer than all others together.
/// nullptr where there are none. Throws InputError: malformed.
std::shared_ptr<const MeasuredCurves> load_moe_curves(const HwProfile&);

}  // namespace moesim
