// Interleaved 1F1B: each stage holds V model chunks and walks the M * V (micro-batch, chunk) pairs in groups of P micro-batches:
// all of a group through chunk 0, then through chunk 1 ...; backwards walk the chunks in reverse. 2(P - r - 1) + (V - 1)P forwards
// run ahead. Source: Megatron-LM pipeline_parallel/schedules.py, get_schedule_table and
// forward_backward_pipelining_with_interleaving, with its default group (microbatch_group_size_per_vp_stage = P).
#include <algorithm>

#include "base/error.h"
#include "train/schedule.h"

namespace moesim {

std::unique_ptr<Schedule> make_interleaved_1f1b();

namespace {

struct Place {
  std::int64_t micro_batch, chunk;
};

/// Place of the k-th virtual micro-batch.
Place place(const ScheduleShape& s, std::int64_t k) {
  const std::int64_t group = k / (s.pp * s.vpp), in_group = k % (s.pp * s.vpp);
  return {group * s.pp + in_group % s.pp, in_group / s.pp};
}

class Interleaved final : public Schedule {
 public:
  void check(const ScheduleShape& s) const override {
    if (s.vpp < 2) throw InputError("interleaved_1f1b needs two or more model chunks a stage, found vpp 1; use 1f1b");
    if (s.pp < 2) throw InputError("interleaved_1f1b needs two or more pipeline stages, found pp 1");
    const std::string found = std::to_string(s.num_micro_batches) + " micro-batches, pp " + std::to_string(s.pp);
    if (s.num_micro_batches < s.pp) throw InputError("interleaved_1f1b needs at least pp micro-batches a step, found " + found);
    if (const std::int64_t rest = s.num_micro_batches % s.pp; rest != 0)
      throw InputError("interleaved_1f1b needs a multiple of pp micro-batches a step, found " + found + ": the last group of " +
                       std::to_string(rest) + " would leave dependency bubbles");
  }

  std::vector<Action> actions(const ScheduleShape& s, std::int64_t stage) const override {
    check(s);
    const std::int64_t total = s.num_micro_batches * s.vpp;
    const std::int64_t warm_up = std::min(total, 2 * (s.pp - stage - 1) + (s.vpp - 1) * s.pp);
    std::vector<Action> out;
    out.reserve(static_cast<std::size_t>(2 * total));
    auto forward = [&](std::int64_t k) { push(out, Action::Kind::forward, place(s, k)); };
    auto backward = [&](std::int64_t k) {
      Place p = place(s, k);
      p.chunk = s.vpp - 1 - p.chunk;
      push(out, Action::Kind::backward, p);
    };
    for (std::int64_t k = 0; k < warm_up; ++k) forward(k);
    for (std::int64_t k = warm_up; k < total; ++k) {
      forward(k);
      backward(k - warm_up);
    }
    for (std::int64_t k = total - warm_up; k < total; ++k) backward(k);
    return out;
  }

  bool overlaps_p2p() const override { return true; }

 private:
  static void push(std::vector<Action>& out, Action::Kind kind, Place p) {
    out.push_back({kind, static_cast<std::uint32_t>(p.micro_batch), static_cast<std::uint32_t>(p.chunk)});
  }
};

}  // namespace

std::unique_ptr<Schedule> make_interleaved_1f1b() { return std::make_unique<Interleaved>(); }

}  // namespace moesim
