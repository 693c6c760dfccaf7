// A workload that passes on another one, for tests that change it on the way or write down what it says.
#pragma once

#include <vector>

#include "engine/workload.h"

namespace moesim::test {

class WrappedWorkload : public Workload {
 public:
  explicit WrappedWorkload(Workload& inner) : inner_(inner) {}
  std::size_t actors() const override { return inner_.actors(); }
  std::size_t streams() const override { return inner_.streams(); }
  std::size_t event_slots() const override { return inner_.event_slots(); }
  std::size_t groups() const override { return inner_.groups(); }
  std::optional<Block> next_block(ActorId a) override { return inner_.next_block(a); }
  GroupId group(ActorId a, std::uint16_t slot) const override { return inner_.group(a, slot); }
  std::span<const ActorId> members(GroupId g) const override { return inner_.members(g); }
  Segment segment(ActorId a, std::uint32_t id, BlockTag tag) override { return inner_.segment(a, id, tag); }
  const Transfer& transfer(GroupId g, std::uint32_t id, BlockTag tag) override { return inner_.transfer(g, id, tag); }
  bool takes_of_members() const override { return inner_.takes_of_members(); }
  Beside held(GroupId g, std::uint32_t id) const override { return inner_.held(g, id); }
  PacedSegment paced(ActorId a, std::uint32_t id, BlockTag tag, Beside b) override { return inner_.paced(a, id, tag, b); }
  std::int64_t capacity(ActorId a, Port port) const override { return inner_.capacity(a, port); }

 private:
  Workload& inner_;
};

/// The last kernel of one instance of a segment takes longer.
class SlowKernel : public WrappedWorkload {
 public:
  SlowKernel(Workload& inner, ActorId actor, std::uint32_t id, BlockTag tag, Time by) : WrappedWorkload(inner), actor_(actor), id_(id), tag_(tag), by_(by) {}
  Segment segment(ActorId a, std::uint32_t id, BlockTag tag) override {
    Segment s = WrappedWorkload::segment(a, id, tag);
    if (a == actor_ && id == id_ && tag == tag_) {
      s.device += by_;
      s.lag += by_;
      ++hits_;
    }
    return s;
  }
  int hits() const { return hits_; }

 private:
  ActorId actor_;
  std::uint32_t id_;
  BlockTag tag_;
  Time by_;
  int hits_ = 0;
};

/// One actor forgets one step: the `nth` of those of a kind, in its program.
class ForgottenStep : public WrappedWorkload {
 public:
  ForgottenStep(Workload& inner, ActorId actor, StepKind kind, std::uint64_t nth) : WrappedWorkload(inner), actor_(actor), kind_(kind), left_(nth) {}
  std::optional<Block> next_block(ActorId a) override {
    std::optional<Block> block = WrappedWorkload::next_block(a);
    if (!block || a != actor_ || done_) return block;
    for (std::size_t i = 0; i < block->steps.size() && !done_; ++i) {
      if (block->steps[i].kind != kind_ || left_-- > 0) continue;
      done_ = true;
      kept_.assign(block->steps.begin(), block->steps.end());
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      block->steps = kept_;
    }
    return block;
  }
  bool done() const { return done_; }

 private:
  ActorId actor_;
  StepKind kind_;
  std::uint64_t left_;
  bool done_ = false;
  std::vector<Step> kept_;
};

/// Writes down every actor's program as the engine asks for it.
class RecordedWorkload : public WrappedWorkload {
 public:
  explicit RecordedWorkload(Workload& inner) : WrappedWorkload(inner), programs_(inner.actors()) {}
  std::optional<Block> next_block(ActorId a) override {
    const std::optional<Block> block = WrappedWorkload::next_block(a);
    if (block) programs_[a.index()].push_back(*block);
    return block;
  }
  const std::vector<Block>& program(ActorId a) const { return programs_[a.index()]; }

 private:
  std::vector<std::vector<Block>> programs_;
};

}  // namespace moesim::test
