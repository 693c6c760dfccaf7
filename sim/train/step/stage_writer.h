// Writes the script of one stage: what happens around the units (pipeline exchanges, gradient and parameter buckets, the optimizer).
#pragma once

#include <span>

#include "train/step/program.h"

namespace moesim {

class StepProgram::StageWriter {
 public:
  StageWriter(StepProgram& program, std::int64_t stage);
  std::vector<Block> write();
  std::size_t buckets() const;

 private:
  struct Chunk {
    std::vector<Unit> units;
    std::vector<Bucket> buckets;
    std::size_t first_slot = 0;      // event slot of its first bucket
  };

  void begin_step();
  void forward(const Action&);
  void backward(const Action&);
  void end_step();

  void receive_before(const Action&);                       // overlapped: post, then wait
  void send_after(const Action&);                           // overlapped: asynchronous
  void exchange_between(std::span<const Action> done, std::span<const Action> next);   // not overlapped: all, and the host waits
  std::vector<std::span<const Action>> turns() const;       // what runs between two such exchanges
  bool receives(const Action&) const;
  bool sends(const Action&) const;
  std::int64_t part(const Action& a) const { return static_cast<std::int64_t>(a.chunk) * s_.parallel.pp + stage_; }

  void bucket_move(const Chunk&, std::size_t bucket, TransferKind, std::vector<Step>& out);
  void bucket_move_after_compute(const Chunk&, std::size_t bucket, TransferKind, std::vector<Step>& out);
  void bucket_moves_in_turn(TransferKind, std::vector<Step>& out);
  Step wait_for_bucket(std::size_t) const;
  void sum_shared_embedding(std::vector<Step>& out);
  std::vector<Step> optimizer();
  void add(std::vector<Step> steps, BlockTag tag = {});

  StepProgram& p_;
  const TrainScenario& s_;
  std::int64_t stage_;
  std::vector<Chunk> chunks_;
  std::vector<Action> actions_;
  std::vector<Block> out_;
  bool overlap_p2p_ = false;
};

}  // namespace moesim
