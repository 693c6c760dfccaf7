// From a list of kernels, transfers and host synchronisations to engine steps on the compute stream.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/workload.h"
#include "train/step/kernels.h"
#include "train/step/moves.h"

namespace moesim {

/// Event slots of an actor. Those from first_bucket on belong to gradient and parameter buckets.
enum class EventSlot : std::uint16_t { host_sync, behind_from, behind_to, produced, sent_forward, sent_backward, received_forward, received_backward, reduced, first_bucket };
constexpr std::uint16_t slot(EventSlot s) { return static_cast<std::uint16_t>(s); }

constexpr std::uint8_t stream(StepStream s) { return static_cast<std::uint8_t>(s); }

constexpr Step record(StepStream s, EventSlot e) { return {StepKind::record, stream(s), slot(e), 0}; }
constexpr Step wait(StepStream s, EventSlot e) { return {StepKind::wait, stream(s), slot(e), 0}; }
constexpr Step host_wait(EventSlot e) { return {StepKind::host_wait, 0, slot(e), 0}; }

/// Appends the steps of `nodes` to `out`. Transfers in groups of one rank are left out.
class Compiler {
 public:
  Compiler(const ParallelLayout& layout, StepKernels& kernels, StepMoves& moves) : layout_(layout), kernels_(kernels), moves_(moves) {}
  void compile(std::string_view label, Phase, const NodeList& nodes, std::vector<Step>& out);
  /// One transfer on `s`, with the host time of its launch.
  void transfer(StepStream s, std::uint16_t group_slot, std::uint32_t id, Phase, std::vector<Step>& out);
  /// The host time of a synchronisation that has just ended.
  void synchronise(std::vector<Step>& out);

 private:
  std::uint32_t add_move(const Node&);
  void add_transfer(const Node&, std::vector<Step>& out);
  void flush(std::string_view label, Phase, std::vector<Step>& out);
  const ParallelLayout& layout_;
  StepKernels& kernels_;
  StepMoves& moves_;
  std::vector<SegmentNode> pending_;
  std::array<std::optional<std::uint32_t>, 3> launch_;   // by phase
  std::optional<std::uint32_t> synchronise_;
};

}  // namespace moesim
