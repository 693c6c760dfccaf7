// Where a picosecond of a rank's step went. Every instant of every rank is in exactly one class, read off the compute stream in this
// order of precedence: what it runs (kernels by what they do, work repeated for recomputation apart, and apart from both what kernels of any kind
// took longer because transfers beside them held SMs and used memory), else the transfer that it is in or
// waits for, split into the wait for other members and the moving itself, else the host, else the end of the step.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/op.h"
#include "train/step_plan.h"

namespace moesim {

enum class TimeClass : std::uint8_t {
  gemm, grouped_gemm, attention, memory_bound, router, permute, cast, embedding, cross_entropy, recompute, optimizer, sm_theft, memory_sharing,
  tp_transfer, tp_wait, ep_transfer, ep_wait, etp_transfer, etp_wait, cp_transfer, cp_wait,
  pp_transfer, bubble, dp_transfer, dp_wait, launch_stall, end_wait, unattributed,
};
constexpr std::size_t kTimeClasses = 28;
std::string_view name(TimeClass);

TimeClass time_class(const Op&);
/// Kernels whose time is FLOPs: gemm, grouped_gemm, attention.
constexpr bool is_matrix(TimeClass c) { return c == TimeClass::gemm || c == TimeClass::grouped_gemm || c == TimeClass::attention; }
/// Whether kernels take it, at the speed of the GPU.
constexpr bool runs_kernels(TimeClass c) { return c <= TimeClass::optimizer; }
/// While bytes move, and while members are waited for. Waiting for another stage, also at the end of the step where the
/// gradient norm joins them, is the bubble.
TimeClass moving(TransferKind);
TimeClass waiting(TransferKind);

}  // namespace moesim
