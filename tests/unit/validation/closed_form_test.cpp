// The simulator against answers on paper.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/train_report.h"
#include "closed_form/memory.h"
#include "closed_form/pipeline.h"
#include "closed_form/ring.h"
#include "collective/collective.h"
#include "model/count.h"
#include "train/schedule.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

TrainScenario scenario(const std::string& text) { return read_train_scenario(Document::parse(text, "test.json"), kData); }

// What a stage does next waits for the neighbour's result; `forward` and `backward` are the times of one chunk. Written with the rule
// only: a forward needs the forward of the part before, a backward the backward of the part after.
double makespan(const std::string& name, const ScheduleShape& shape, double forward, double backward) {
  const auto schedule = schedules().make(name);
  std::vector<std::vector<Action>> todo;
  for (std::int64_t r = 0; r < shape.pp; ++r) todo.push_back(schedule->actions(shape, r));
  const std::int64_t parts = shape.pp * shape.vpp;
  std::map<std::tuple<bool, std::uint32_t, std::int64_t>, double> done;  // (backward, micro-batch, part of the model) -> end
  std::vector<double> clock(todo.size(), 0);
  std::vector<std::size_t> next(todo.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < todo.size(); ++r)
      while (next[r] < todo[r].size()) {
        const Action& a = todo[r][next[r]];
        const bool back = a.kind == Action::Kind::backward;
        const std::int64_t part = a.chunk * shape.pp + static_cast<std::int64_t>(r);
        const std::int64_t before = back ? part + 1 : part - 1;
        double ready = 0;
        if (before >= 0 && before < parts) {
          const auto found = done.find({back, a.micro_batch, before});
          if (found == done.end()) break;
          ready = found->second;
        }
        clock[r] = std::max(clock[r], ready) + (back ? backward : forward);
        done[{back, a.micro_batch, part}] = clock[r];
        ++next[r];
        moved = true;
      }
  }
  for (std::size_t r = 0; r < todo.size(); ++r) EXPECT_EQ(next[r], todo[r].size()) << name << " hangs on stage " << r;
  return *std::max_element(clock.begin(), clock.end());
}

TEST(ClosedForm, OneForwardOneBackwardIdlesForTheStagesBehind) {
  for (const std::int64_t pp : {1, 2, 4, 8})
    for (const std::int64_t m : {8, 16, 24})
      EXPECT_DOUBLE_EQ(makespan("1f1b", {pp, 1, m}, 1, 2), closed_form::pipeline_step(pp, 1, m, 1, 2)) << pp << " stages, " << m;
}

TEST(ClosedForm, InterleavingDividesTheBubbleByTheChunks) {
  for (const std::int64_t pp : {2, 4, 8})
    for (const std::int64_t vpp : {2, 3, 5})
      for (const std::int64_t m : {pp, 2 * pp, 4 * pp})
        EXPECT_DOUBLE_EQ(makespan("interleaved_1f1b", {pp, vpp, m}, 1, 2),
                         closed_form::pipeline_step(pp, vpp, m, 1.0 * static_cast<double>(vpp), 2.0 * static_cast<double>(vpp)))
            << pp << " stages, " << vpp << " chunks, " << m;
}

// A GPT of 64 equal layers, with a vocabulary so small that the ends weigh nothing, on a machine whose messages take next to nothing.
std::string equal_stages(int pp, int vpp, int m) {
  return R"({"kind": "train", "gpus": )" + std::to_string(pp) + R"(, "model": {"model_type": "gpt_neox", "num_hidden_layers": 64, "hidden_size": 4096,
    "intermediate_size": 16384, "num_attention_heads": 32, "vocab_size": 128, "max_position_embeddings": 4096, "tie_word_embeddings": false},
    "hardware": {"extends": "dgx-h100", "scale_up": {"base_latency": {"value": "0 us", "grade": "user", "source": "test"}}},
    "stack": "megatron-core-2026.04", "parallel": {"pp": )" + std::to_string(pp) + R"(, "vpp": )" + std::to_string(vpp) +
         R"(}, "batch": {"seq_length": 4096, "micro_batch_size": 1, "global_batch_size": )" + std::to_string(m) + R"(}})";
}

TEST(ClosedForm, SimulatedBubblesAreThoseOnPaper) {
  struct Case { int pp, vpp, m; };
  for (const Case c : {Case{4, 1, 8}, Case{4, 1, 16}, Case{8, 1, 16}, Case{4, 2, 8}, Case{4, 4, 8}, Case{8, 2, 16}}) {
    const TrainReport r = train(scenario(equal_stages(c.pp, c.vpp, c.m)));
    // bubble / useful; the optimizer and the fixed cost of a step are not part of the pipeline
    const auto at = [&](TimeClass k) { return r.time_by_class_s[static_cast<std::size_t>(k)]; };
    const double useful = at(TimeClass::gemm) + at(TimeClass::attention) + at(TimeClass::memory_bound);
    EXPECT_NEAR(at(TimeClass::bubble) / useful / closed_form::pipeline_bubble(c.pp, c.vpp, c.m), 1, 0.06)
        << "PP" << c.pp << " VPP" << c.vpp << " M" << c.m;
  }
}

TEST(ClosedForm, TrainingStateIsSixAndTwelveOverD) {
  for (const int gpus : {8, 32})
    for (const bool distributed : {true, false}) {
      const TrainScenario s = scenario(R"({"kind": "train", "gpus": )" + std::to_string(gpus) + R"(, "model": "gpt-7.1b", "hardware": "dgx-h100",
        "optimizer": {"distributed": )" + (distributed ? "true" : "false") + R"(}, "parallel": {"tp": 2}, "batch": {"global_batch_size": 32}})");
      const StageMemory m = memory(s).stages[0];
      const double state = static_cast<double>((m.parameters + m.gradients + m.optimizer).count());
      const double parameters = closed_form::gpt_parameters(30, 4096, 131072) / 2;
      // norms and biases: under 0.1 % of the weights
      EXPECT_NEAR(state / (parameters * closed_form::state_bytes_per_parameter(distributed, gpus / 2)), 1, 1e-3) << gpus << " GPUs, distributed " << distributed;
    }
}

TEST(ClosedForm, RingsCarryWhatTheFormulaSays) {
  const HwProfile hw = load_hw_profile("alps-gh200", kData);  // no switch: rings only
  constexpr std::int64_t kBytes = 4 * 3 * (std::int64_t{1} << 26);
  for (const int n : {2, 3, 4}) {
    std::vector<Rank> members;
    for (int i = 0; i < n; ++i) members.push_back(Rank(static_cast<std::uint32_t>(i)));
    const auto sent = [&](CollectiveOp op) {
      const CollectiveCost cost = collective(op, Bytes{kBytes}, place(members, hw), hw);
      EXPECT_EQ(cost.algorithm, "ring");
      return static_cast<double>(cost.transfer.member(0).bytes[static_cast<std::size_t>(Port::scale_up_out)]);
    };
    EXPECT_EQ(sent(CollectiveOp::all_gather), closed_form::ring_all_gather_bytes(kBytes, n)) << n;
    EXPECT_EQ(sent(CollectiveOp::reduce_scatter), closed_form::ring_reduce_scatter_bytes(kBytes, n)) << n;
    EXPECT_EQ(sent(CollectiveOp::all_reduce), closed_form::ring_all_reduce_bytes(kBytes, n)) << n;
  }
}

}  // namespace
}  // namespace moesim
