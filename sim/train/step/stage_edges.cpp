// The two ends of a stage's script: parameter gathering before the first forward; gradient reduction, clipping, optimizer after the last
// backward.
#include "train/step/stage_writer.h"

namespace moesim {

/// One bucket's transfer on its stream; its event slot is recorded when it is done.
void StepProgram::StageWriter::bucket_move(const Chunk& c, std::size_t b, TransferKind kind, std::vector<Step>& out) {
  const Bucket& bucket = c.buckets[b];
  const GroupKind group = bucket.routed ? GroupKind::edp : GroupKind::dp_cp;
  if (p_.layout_.group_size(group) == 1) return;
  const bool gather = kind == TransferKind::param_gather;
  const DType type = gather ? s_.precision.param_gather : s_.precision.grad_reduce;
  const CollectiveOp op = gather ? CollectiveOp::all_gather : s_.distributed_optimizer ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce;
  const std::uint32_t id = p_.moves_.add(kind, gather ? "gather parameters" : "reduce gradients", Exchange{op, group, Bytes{bucket.params * bits(type) / 8}});
  const StepStream on = bucket.routed ? StepStream::edp : StepStream::dp;
  p_.compiler_.transfer(on, slot(group), id, Phase::optimizer, out);
  out.push_back({StepKind::record, stream(on), static_cast<std::uint16_t>(slot(EventSlot::first_bucket) + c.first_slot + b), 0});
}

void StepProgram::StageWriter::bucket_move_after_compute(const Chunk& c, std::size_t b, TransferKind kind, std::vector<Step>& out) {
  out.push_back(record(StepStream::compute, EventSlot::produced));
  out.push_back(wait(c.buckets[b].routed ? StepStream::edp : StepStream::dp, EventSlot::produced));
  bucket_move(c, b, kind, out);
}

/// Without overlap Megatron makes each exchange block the compute stream: one after the other, also those of routed experts.
void StepProgram::StageWriter::bucket_moves_in_turn(TransferKind kind, std::vector<Step>& out) {
  for (const Chunk& c : chunks_)
    for (std::size_t b = 0; b < c.buckets.size(); ++b) {
      bucket_move_after_compute(c, b, kind, out);
      out.push_back(wait_for_bucket(c.first_slot + b));
    }
}

Step StepProgram::StageWriter::wait_for_bucket(std::size_t b) const {
  return {StepKind::wait, stream(StepStream::compute), static_cast<std::uint16_t>(slot(EventSlot::first_bucket) + b), 0};
}

void StepProgram::StageWriter::begin_step() {
  std::vector<Step> out;
  std::int64_t params = 0;
  for (const Chunk& c : chunks_)
    for (const Bucket& b : c.buckets) params += b.params;
  Op zero{.kind = OpKind::memory_bound, .label = "zero gradients"};
  zero.traffic = Bytes{params * bits(s_.precision.grad_reduce) / 8};
  const std::uint32_t id = p_.kernels_.add("begin step", Phase::optimizer, {HostWork{p_.kernels_.host().per_step()}, Kernel{zero}});
  out.push_back({StepKind::segment, stream(StepStream::compute), 0, id});
  if (s_.overlap.param_gather && s_.distributed_optimizer)
    for (const Chunk& c : chunks_)
      for (std::size_t b = c.buckets.size(); b-- > 0;) bucket_move(c, b, TransferKind::param_gather, out);   // needed from the first unit on
  add(std::move(out));
}

std::vector<Step> StepProgram::StageWriter::optimizer() {
  std::int64_t owned = 0;
  for (const Chunk& c : chunks_)
    for (const Bucket& b : c.buckets)
      owned += s_.distributed_optimizer ? ceil_div(b.params, p_.layout_.group_size(b.routed ? GroupKind::edp : GroupKind::dp_cp)) : b.params;
  Op norm{.kind = OpKind::optimizer, .label = "gradient norm"};
  norm.traffic = Bytes{std::max<std::int64_t>(1, owned * bits(s_.precision.grad_reduce) / 8)};
  Op adam{.kind = OpKind::optimizer, .label = "Adam"};
  // Gradient and main parameter in fp32 read, the latter written, and the working copy; two moments read and written: 30 bytes with fp32.
  adam.traffic = Bytes{std::max<std::int64_t>(1, owned * (4 + 4 + 4 + 2 + 4 * bits(s_.optimizer_moments) / 8))};
  std::vector<Step> out;
  p_.compiler_.compile("optimizer", Phase::optimizer, {Kernel{norm}}, out);
  if (s_.parallel.gpus > 1) {
    p_.compiler_.transfer(StepStream::compute, slot(GroupSlot::world), p_.grad_norm_, Phase::optimizer, out);
  }
  p_.compiler_.compile("optimizer", Phase::optimizer, {HostSync{}, Kernel{adam}}, out);
  return out;
}

/// An embedding table on the first and on the last stage: their gradients are summed before the data-parallel reduction.
void StepProgram::StageWriter::sum_shared_embedding(std::vector<Step>& out) {
  const bool edge = stage_ == 0 || stage_ + 1 == s_.parallel.pp;
  if (!shares_embedding(s_) || !edge) return;
  p_.compiler_.transfer(StepStream::compute, slot(GroupKind::embedding), p_.shared_embedding_, Phase::optimizer, out);
}

void StepProgram::StageWriter::end_step() {
  std::vector<Step> out;
  sum_shared_embedding(out);
  if (!s_.overlap.grad_reduce) bucket_moves_in_turn(TransferKind::grad_reduce, out);
  for (std::size_t b = 0; s_.overlap.grad_reduce && b < buckets(); ++b) out.push_back(wait_for_bucket(b));
  const std::vector<Step> update = optimizer();
  out.insert(out.end(), update.begin(), update.end());
  if (s_.distributed_optimizer && !s_.overlap.param_gather) bucket_moves_in_turn(TransferKind::param_gather, out);
  add(std::move(out));
}

}  // namespace moesim
