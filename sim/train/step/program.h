// The script of each pipeline stage: its blocks in the order in which the host issues them.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "block/activations.h"
#include "block/layer.h"
#include "train/schedule.h"
#include "train/step/compile.h"
#include "train/step/buckets.h"

namespace moesim {

/// Marks tell observers when a unit's activations appear (end of its forward) and go (end of its backward).
struct MemoryMark {
  SavedActivations saved;
  bool allocate = true;
};

class StepProgram {
 public:
  StepProgram(const TrainScenario&, const ParallelLayout&, const LayerSettings&, StepKernels&, StepMoves&);

  const std::vector<Block>& script(std::int64_t stage) const { return scripts_[static_cast<std::size_t>(stage)]; }
  std::size_t event_slots() const { return slot(EventSlot::first_bucket) + buckets_; }
  const MemoryMark& mark(std::uint32_t id) const { return marks_[id]; }

 private:
  struct Passes { std::vector<Step> forward, backward; };   // of one unit
  struct ByContent { bool operator()(const std::vector<Step>&, const std::vector<Step>&) const; };
  class StageWriter;

  const Passes& passes(const Unit&);
  Passes compile(const Unit&);
  std::span<const Step> keep(std::vector<Step>);              // equal lists are kept once
  std::uint32_t p2p(bool forward) const { return forward ? send_activations_ : send_gradients_; }
  Step add_mark(const SavedActivations&, bool allocate);

  const TrainScenario& s_;
  const ParallelLayout& layout_;
  const LayerSettings& settings_;
  StepKernels& kernels_;
  StepMoves& moves_;
  Compiler compiler_;
  std::map<std::pair<Unit::Kind, std::uint16_t>, Passes> known_;   // by kind of unit and of layer
  std::set<std::vector<Step>, ByContent> kept_;                     // steps of blocks that are not units
  std::uint32_t send_activations_ = 0, send_gradients_ = 0, grad_norm_ = 0, shared_embedding_ = 0;   // transfers that stages have in common
  std::vector<MemoryMark> marks_;
  std::vector<std::vector<Block>> scripts_;
  std::size_t buckets_ = 0;                                         // most that any stage has
};

}  // namespace moesim
