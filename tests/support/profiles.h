// Machines built by hand for tests of layers that read a few numbers of a profile: round efficiencies, and no change when a shipped
// profile is refined. What a test does not need is left out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "hw/profile.h"

namespace moesim::test {

struct FabricNumbers {
  ScaleUpKind kind = ScaleUpKind::nvswitch;
  std::int64_t domain = 8, gpus_per_node = 8;
  double up = 450e9, pair = 450e9;            // bytes per second
  double pair_efficiency = 0.83, up_all_to_all = 0.70, up_ring = 0.75;
  std::optional<double> nvls;
  double base = 6.6e-6, hop = 0.6e-6;         // seconds, NCCL's LL constants
  double nic = 50e9;
  double nic_point_to_point = 0.97, nic_all_to_all = 0.85, nic_ring = 0.78;
  std::int64_t half_message = 65536;
  double bulk_overhead = 8.6e-6;              // seconds, NCCL
  bool ll128 = true;
  std::vector<FabricLevel> levels;
  double taper = 1;
};

template <class T>
Sourced<T> sourced(T value) { return {value, Grade::spec, "test"}; }

inline FabricLevel level(std::string name, std::int64_t gpus, double latency) {
  return {std::move(name), gpus, sourced(time_from_seconds(latency))};
}

inline HwProfile machine(std::string name, const FabricNumbers& f) {
  HwProfile hw;
  hw.name = std::move(name);
  hw.gpus_per_node = f.gpus_per_node;
  ScaleUpProfile& up = hw.scale_up;
  up.kind = f.kind;
  up.domain = f.domain;
  up.per_gpu = sourced(Bandwidth{f.up});
  up.per_pair = sourced(Bandwidth{f.pair});
  up.pair_efficiency = sourced(f.pair_efficiency);
  up.all_to_all_efficiency = sourced(f.up_all_to_all);
  up.ring_efficiency = sourced(f.up_ring);
  if (f.nvls) up.nvls_efficiency = sourced(*f.nvls);
  up.base_latency = sourced(time_from_seconds(f.base));
  up.hop_latency = sourced(time_from_seconds(f.hop));
  ScaleOutProfile& out = hw.scale_out;
  out.per_gpu = sourced(Bandwidth{f.nic});
  out.point_to_point_efficiency = sourced(f.nic_point_to_point);
  out.all_to_all_efficiency = sourced(f.nic_all_to_all);
  out.ring_efficiency = sourced(f.nic_ring);
  out.base_latency = sourced(time_from_seconds(f.base));
  out.half_message = sourced(Bytes{f.half_message});
  out.bulk_overhead = sourced(time_from_seconds(f.bulk_overhead));
  out.topology.taper = sourced(f.taper);
  out.ll128 = f.ll128;
  out.levels = f.levels;
  return hw;
}

/// 8 GPUs behind NVSwitch, one 400 Gb/s NIC each, 256 GPUs a leaf group.
inline HwProfile dgx_h100() {
  FabricNumbers f;
  f.nvls = 1.056;
  f.levels = {level("leaf", 256, 2.8e-6), level("core", 0, 3.7e-6)};
  return machine("dgx-h100", f);
}

/// DGX H100 nodes on AWS EFA: slow steps through libfabric.
inline HwProfile efa_h100() {
  FabricNumbers f;
  f.nvls = 1.056;
  f.half_message = 131072;
  f.bulk_overhead = 15e-6;
  f.ll128 = false;
  f.levels = {level("machine", 0, 20e-6)};
  return machine("efa-h100", f);
}

/// DGX H100 with 8 of 18 NVLinks.
inline HwProfile h800() {
  FabricNumbers f;
  f.up = f.pair = 200e9;
  f.pair_efficiency = f.up_all_to_all = 0.80;
  f.nvls = 1.075;
  f.levels = {level("leaf", 256, 2.8e-6), level("core", 0, 3.7e-6)};
  return machine("h800", f);
}

/// 4 GH200 in a mesh of 150 GB/s pairs without a switch, one 200 Gb/s NIC each, dragonfly.
inline HwProfile alps() {
  FabricNumbers f;
  f.kind = ScaleUpKind::mesh;
  f.domain = f.gpus_per_node = 4;
  f.pair = 150e9;
  f.up_ring = 0.755;
  f.nic = 25e9;
  f.nic_all_to_all = 0.75;
  f.nic_ring = 0.74;
  f.half_message = 14336;
  f.bulk_overhead = 46e-6;
  f.ll128 = false;
  f.levels = {level("switch", 16, 4.33e-6), level("machine", 0, 5.56e-6)};
  return machine("alps", f);
}

/// A rack of 72 GB200 in one NVLink domain.
inline HwProfile gb200_nvl72() {
  FabricNumbers f;
  f.domain = 72;
  f.gpus_per_node = 4;
  f.up = f.pair = 900e9;
  f.up_all_to_all = 0.62;
  f.up_ring = 0.69;
  f.nvls = 0.78;
  f.base = 10.6e-6;
  f.hop = 0.96e-6;
  f.levels = {level("core", 0, 3.7e-6)};
  return machine("gb200-nvl72", f);
}

/// 8 A100 behind NVSwitch without in-switch reduction, one 200 Gb/s NIC each.
inline HwProfile dgx_a100() {
  FabricNumbers f;
  f.up = f.pair = 300e9;
  f.pair_efficiency = 0.91;
  f.up_all_to_all = 0.68;
  f.up_ring = 0.74;
  f.base = 9.6e-6;                            // 1.45 times Hopper's: 21.8 us for an all-reduce of 1 KiB
  f.hop = 0.87e-6;
  f.nic = 25e9;
  f.levels = {level("core", 0, 3.7e-6)};
  return machine("dgx-a100", f);
}

/// `count` ranks from `first` on, `stride` apart.
inline std::vector<Rank> ranks(std::uint32_t count, std::uint32_t first = 0, std::uint32_t stride = 1) {
  std::vector<Rank> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(Rank(first + i * stride));
  return out;
}

}  // namespace moesim::test
