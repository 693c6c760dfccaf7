// The vocabulary between the step's programs and whoever watches it: which stream is which, what a segment or a transfer id means.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/cost_model.h"
#include "engine/workload.h"
#include "model/op.h"
#include "train/scenario.h"

namespace moesim {

enum class StepStream : std::uint8_t { compute, pp_forward_send, pp_forward_recv, pp_backward_send, pp_backward_recv, dp, edp, tp };
constexpr std::size_t kStepStreams = 8;
std::string_view name(StepStream);

enum class TransferKind : std::uint8_t { tp, ep_dispatch, ep_combine, etp, cp, pp, grad_reduce, param_gather, grad_norm };
constexpr std::size_t kTransferKinds = 9;
std::string_view name(TransferKind);

enum class Phase : std::uint8_t { forward, backward, optimizer };

/// Composition of a segment: its kernels in launch order.
struct SegmentInfo {
  std::string_view label;       // "attention forward"
  Phase phase;
  struct Item {
    Op op;                      // at its resolved load
    Time host, device;
    Provenance provenance;
  };
  std::vector<Item> items;
};

}  // namespace moesim
