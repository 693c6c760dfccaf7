// How much longer a kernel takes while communication kernels hold SMs and use memory beside it.
//
// What is left of the SMs runs its tiles. A GEMM hands a tile to each SM and the next wave when they are done: tiles over the SMs that are left, in
// whole waves, so a GEMM of one full wave takes two, and one of many loses what the held SMs would have done. Kernels that stay on their
// SMs and fetch tiles (attention, grouped multiplications) lose just that. Kernels that memory limits lose nothing to held SMs until too few
// are left to fill it, but their part of its bandwidth. What starting and draining a kernel takes stays.
#pragma once

#include "cost/closed_form.h"
#include "engine/beside.h"

namespace moesim {

/// Beside::memory counts thousandths of the peak memory bandwidth.
constexpr std::int32_t kWholeMemory = 1000;

/// Time beside `b` over time alone, >= 1; never less for more SMs that are held unknown or for more memory. At least one SM and a tenth of the bandwidth are left.
double stretch(const KernelNumbers&, const Op&, Beside b);

/// Waves of a GEMM's tiles on so many SMs.
std::int64_t gemm_waves(std::int64_t m, std::int64_t n, std::int64_t sms);

}  // namespace moesim
