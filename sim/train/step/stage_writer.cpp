#include "train/step/stage_writer.h"

#include <algorithm>
#include <iterator>

namespace moesim {
namespace {

bool is_forward(const Action& a) { return a.kind == Action::Kind::forward; }

struct Direction {
  StepStream send, receive;
  GroupSlot out, in;
  EventSlot sent, received;
};
constexpr Direction kForward{StepStream::pp_forward_send, StepStream::pp_forward_recv, GroupSlot::forward_out, GroupSlot::forward_in,
                             EventSlot::sent_forward, EventSlot::received_forward};
constexpr Direction kBackward{StepStream::pp_backward_send, StepStream::pp_backward_recv, GroupSlot::backward_out, GroupSlot::backward_in,
                              EventSlot::sent_backward, EventSlot::received_backward};
const Direction& direction(const Action& a) { return is_forward(a) ? kForward : kBackward; }

}  // namespace

StepProgram::StageWriter::StageWriter(StepProgram& program, std::int64_t stage) : p_(program), s_(program.s_), stage_(stage) {
  const auto schedule = schedules().make(s_.schedule);
  actions_ = schedule->actions({s_.parallel.pp, s_.parallel.vpp, s_.num_micro_batches}, stage);
  overlap_p2p_ = s_.overlap.p2p;
  std::size_t slots = 0;
  for (std::vector<Unit>& units : stage_units(s_, stage)) {
    Chunk chunk{std::move(units), {}, slots};
    const bool bucketed = (s_.overlap.grad_reduce || s_.overlap.param_gather) && stage == 0 && chunks_.empty();
    chunk.buckets = chunk_buckets(chunk.units, bucketed, p_.layout_.group_size(GroupKind::dp_cp));
    slots += chunk.buckets.size();
    chunks_.push_back(std::move(chunk));
  }
}

std::size_t StepProgram::StageWriter::buckets() const {
  std::size_t n = 0;
  for (const Chunk& c : chunks_) n += c.buckets.size();
  return n;
}

void StepProgram::StageWriter::add(std::vector<Step> steps, BlockTag tag) {
  if (!steps.empty()) out_.push_back({p_.keep(std::move(steps)), tag});
}

std::vector<Block> StepProgram::StageWriter::write() {
  begin_step();
  std::span<const Action> done;
  for (const std::span<const Action> turn : turns()) {
    if (!overlap_p2p_) exchange_between(done, turn);
    for (const Action& a : turn) {
      if (overlap_p2p_) receive_before(a);
      if (is_forward(a)) forward(a);
      else backward(a);
      if (overlap_p2p_) send_after(a);
    }
    done = turn;
  }
  if (!overlap_p2p_) exchange_between(done, {});
  end_step();
  return std::move(out_);
}

/// With several chunks Megatron exchanges once for a forward and the backward that follows it in the steady state: all four messages at once.
/// After each, stages would wait for each other in a circle.
std::vector<std::span<const Action>> StepProgram::StageWriter::turns() const {
  const std::span<const Action> all(actions_);
  const auto ahead = static_cast<std::size_t>(std::find_if_not(all.begin(), all.end(), is_forward) - all.begin());
  const bool paired = s_.parallel.vpp > 1 && 2 * ahead < all.size();
  std::vector<std::span<const Action>> out;
  for (std::size_t i = 0; i < all.size();) {
    const bool two = paired && i + 1 >= ahead && i + 1 < all.size() && is_forward(all[i]) && !is_forward(all[i + 1]);
    out.push_back(all.subspan(i, two ? 2 : 1));
    i += out.back().size();
  }
  return out;
}

bool StepProgram::StageWriter::receives(const Action& a) const {
  const std::int64_t last = s_.parallel.pp * s_.parallel.vpp - 1;
  return s_.parallel.pp > 1 && part(a) != (is_forward(a) ? 0 : last);
}

bool StepProgram::StageWriter::sends(const Action& a) const {
  const std::int64_t last = s_.parallel.pp * s_.parallel.vpp - 1;
  return s_.parallel.pp > 1 && part(a) != (is_forward(a) ? last : 0);
}

void StepProgram::StageWriter::receive_before(const Action& a) {
  if (!receives(a)) return;
  const Direction& d = direction(a);
  std::vector<Step> out;
  p_.compiler_.transfer(d.receive, slot(d.in), p_.p2p(is_forward(a)), is_forward(a) ? Phase::forward : Phase::backward, out);
  out.push_back(record(d.receive, d.received));
  out.push_back(wait(StepStream::compute, d.received));
  add(std::move(out), {0, a.micro_batch});
}

void StepProgram::StageWriter::send_after(const Action& a) {
  if (!sends(a)) return;
  const Direction& d = direction(a);
  std::vector<Step> out{record(StepStream::compute, EventSlot::produced), wait(d.send, EventSlot::produced)};
  p_.compiler_.transfer(d.send, slot(d.out), p_.p2p(is_forward(a)), is_forward(a) ? Phase::forward : Phase::backward, out);
  add(std::move(out), {0, a.micro_batch});
}

void StepProgram::StageWriter::exchange_between(std::span<const Action> done, std::span<const Action> next) {
  std::vector<Step> out{record(StepStream::compute, EventSlot::produced)};
  std::vector<Step> after;
  const auto post = [&](const Action& a, StepStream on, GroupSlot group, EventSlot event) {
    out.push_back(wait(on, EventSlot::produced));
    p_.compiler_.transfer(on, slot(group), p_.p2p(is_forward(a)), is_forward(a) ? Phase::forward : Phase::backward, out);
    out.push_back(record(on, event));
    after.push_back(wait(StepStream::compute, event));
    after.push_back(host_wait(event));
  };
  for (const Action& a : done)
    if (sends(a)) post(a, direction(a).send, direction(a).out, direction(a).sent);
  for (const Action& a : next)
    if (receives(a)) post(a, direction(a).receive, direction(a).in, direction(a).received);
  if (after.empty()) return;
  out.insert(out.end(), after.begin(), after.end());
  p_.compiler_.synchronise(out);
  add(std::move(out), {0, next.empty() ? done.front().micro_batch : next.front().micro_batch});
}

void StepProgram::StageWriter::forward(const Action& a) {
  const Chunk& chunk = chunks_[a.chunk];
  const bool first_use = a.micro_batch == 0 && s_.overlap.param_gather && s_.distributed_optimizer;
  for (std::size_t u = 0; u < chunk.units.size(); ++u) {
    if (first_use) {
      std::vector<Step> waits;
      for (std::size_t b = 0; b < chunk.buckets.size(); ++b)
        if (chunk.buckets[b].first == u)
          waits.push_back(wait_for_bucket(chunk.first_slot + b));
      add(std::move(waits));
    }
    out_.push_back({p_.passes(chunk.units[u]).forward, {chunk.units[u].layer, a.micro_batch}});
  }
}

void StepProgram::StageWriter::backward(const Action& a) {
  const Chunk& chunk = chunks_[a.chunk];
  const bool last_use = a.micro_batch + 1 == s_.num_micro_batches && s_.overlap.grad_reduce;
  for (std::size_t u = chunk.units.size(); u-- > 0;) {
    out_.push_back({p_.passes(chunk.units[u]).backward, {chunk.units[u].layer, a.micro_batch}});
    if (!last_use) continue;
    std::vector<Step> moves;
    for (std::size_t b = 0; b < chunk.buckets.size(); ++b)
      if (chunk.buckets[b].first == u) bucket_move_after_compute(chunk, b, TransferKind::grad_reduce, moves);
    add(std::move(moves));
  }
}

}  // namespace moesim
