// Profiles with round numbers for closed forms.
#pragma once

#include "hw/profile.h"
#include "hw/stack.h"

namespace moesim {

/// 1000 TFLOP/s bf16 peak, 2000 fp8; burst 0.8, sustained 0.5; 4 TB/s; 2 us a GEMM, 1 us another kernel; half_k 128.
inline HwProfile round_profile() {
  HwProfile p;
  p.name = "round";
  p.gpu.memory_bandwidth.value = Bandwidth{4e12};
  p.gpu.peak[DType::bf16].value = FlopRate{1e15};
  p.gpu.peak[DType::fp8].value = FlopRate{2e15};
  GemmProfile& g = p.compute.gemm;
  for (const DType t : {DType::bf16, DType::fp8}) {
    g.burst[t].value = 0.8;
    g.sustained[t].value = 0.5;
  }
  g.memory.value = 0.5;
  g.fixed.value = 2 * kMicrosecond;
  g.half_k.value = 128;
  p.compute.grouped_gemm.factor.value = 1;
  p.compute.attention = {{FlopRate{8e14}, {}, {}}, {FlopRate{6.25e14}, {}, {}}, {1024, {}, {}}, {0, {}, {}}, {0, {}, {}}, {0.5, {}, {}}, {0.5, {}, {}}};
  p.gpu.sms.value = 100;
  p.compute.memory_bound.value = 0.5;
  p.compute.permute.value = 0.25;
  p.compute.memory_fixed.value = 1 * kMicrosecond;
  return p;
}

}  // namespace moesim
