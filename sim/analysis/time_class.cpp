#include "analysis/time_class.h"

namespace moesim {

std::string_view name(TimeClass c) {
  constexpr std::string_view names[kTimeClasses] = {
      "gemm", "grouped_gemm", "attention", "memory_bound", "router", "permute", "cast", "embedding", "cross_entropy", "recompute", "optimizer", "sm_theft", "memory_sharing",
      "tp_transfer", "tp_wait", "ep_transfer", "ep_wait", "etp_transfer", "etp_wait", "cp_transfer", "cp_wait",
      "pp_transfer", "bubble", "dp_transfer", "dp_wait", "launch_stall", "end_wait", "unattributed"};
  return names[static_cast<std::size_t>(c)];
}

TimeClass time_class(const Op& op) {
  if (op.recompute) return TimeClass::recompute;
  switch (op.kind) {
    case OpKind::gemm: return TimeClass::gemm;
    case OpKind::grouped_gemm: return TimeClass::grouped_gemm;
    case OpKind::attention: return TimeClass::attention;
    case OpKind::memory_bound: return TimeClass::memory_bound;
    case OpKind::router: return TimeClass::router;
    case OpKind::permute: return TimeClass::permute;
    case OpKind::cast: return TimeClass::cast;
    case OpKind::optimizer: return TimeClass::optimizer;
    case OpKind::embedding: return TimeClass::embedding;
    case OpKind::cross_entropy: return TimeClass::cross_entropy;
  }
  return TimeClass::unattributed;
}

TimeClass moving(TransferKind k) {
  switch (k) {
    case TransferKind::tp: return TimeClass::tp_transfer;
    case TransferKind::ep_dispatch: case TransferKind::ep_combine: return TimeClass::ep_transfer;
    case TransferKind::etp: return TimeClass::etp_transfer;
    case TransferKind::cp: return TimeClass::cp_transfer;
    case TransferKind::pp: return TimeClass::pp_transfer;
    case TransferKind::grad_reduce: case TransferKind::param_gather: case TransferKind::grad_norm: return TimeClass::dp_transfer;
  }
  return TimeClass::unattributed;
}

TimeClass waiting(TransferKind k) {
  // The norm joins the stages of a pipeline: a stage that is done early waits there for the others to drain.
  if (k == TransferKind::grad_norm) return TimeClass::bubble;
  switch (moving(k)) {
    case TimeClass::tp_transfer: return TimeClass::tp_wait;
    case TimeClass::ep_transfer: return TimeClass::ep_wait;
    case TimeClass::etp_transfer: return TimeClass::etp_wait;
    case TimeClass::cp_transfer: return TimeClass::cp_wait;
    case TimeClass::pp_transfer: return TimeClass::bubble;
    default: return TimeClass::dp_wait;
  }
}

}  // namespace moesim
