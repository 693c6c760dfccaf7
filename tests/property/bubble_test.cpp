// With equal stages, free communication and a free host the pipeline bubble is the textbook's: (P - 1) / (M V) of the useful time. The
// simulator knows no such formula; it must fall out of the schedule.
#include <gtest/gtest.h>

#include "property/account_totals.h"
#include "property/random_scenario.h"
#include "property/wrapped_workload.h"

namespace moesim {
namespace {

/// Only decoder layers take time: no host, no communication, no embedding, no loss, no optimizer.
class LayersAlone : public test::WrappedWorkload {
 public:
  LayersAlone(Workload& inner, const TrainStep& step) : WrappedWorkload(inner), step_(step) {}
  bool takes_of_members() const override { return false; }   // free messages take no SMs either
  Segment segment(ActorId a, std::uint32_t id, BlockTag tag) override {
    const SegmentInfo info = step_.segment_info(a, id, tag);
    const bool layer = info.phase != Phase::optimizer && info.label != "embedding" && info.label != "head";
    const Time device = layer ? WrappedWorkload::segment(a, id, tag).device : Time{0};
    if (a == ActorId(0)) useful_ += device;
    return {Time{0}, device, device, 1};
  }
  const Transfer& transfer(GroupId, std::uint32_t, BlockTag) override { return nothing_; }
  Time useful() const { return useful_; }   // of one stage

 private:
  const TrainStep& step_;
  Transfer nothing_{Time{0}, Time{0}, {Transfer::Member{}}};
  Time useful_{0};
};

struct Shape {
  std::int64_t pp, vpp, micro_batches;
  bool p2p;
};

std::string text(const Shape& s, const std::string& model, std::int64_t ep) {
  const auto n = [](std::int64_t v) { return std::to_string(v); };
  return R"({ "kind": "train", "model": )" + model + R"(, "hardware": "dgx-h100", "gpus": )" + n(s.pp * ep) + R"(, "parallel": { "pp": )" + n(s.pp) +
         R"(, "vpp": )" + n(s.vpp) + (ep > 1 ? R"(, "ep": )" + n(ep) : "") + R"( }, "batch": { "seq_length": 1024, "global_batch_size": )" +
         n(s.micro_batches * ep) + " }" + (ep > 1 ? R"(, "moe": { "load": { "law": "balanced" } })" : "") +
         (s.vpp > 1 ? R"(, "overlap": { "p2p": )" + std::string(s.p2p ? "true" : "false") + " }" : "") + " }";
}

const std::string kDense = R"({ "model_type": "llama", "hidden_size": 512, "num_hidden_layers": 48, "num_attention_heads": 8,
  "num_key_value_heads": 8, "intermediate_size": 1536, "vocab_size": 8192 })";
const std::string kMoe = R"({ "model_type": "qwen3_moe", "hidden_size": 512, "num_hidden_layers": 48, "num_attention_heads": 8,
  "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 1536, "moe_intermediate_size": 384, "num_experts": 8,
  "num_experts_per_tok": 2, "vocab_size": 8192 })";

void expect_closed_form(const Shape& shape, const std::string& model, std::int64_t ep) {
  SCOPED_TRACE("P " + std::to_string(shape.pp) + ", V " + std::to_string(shape.vpp) + ", M " + std::to_string(shape.micro_batches) + ", EP " + std::to_string(ep) +
               (shape.p2p ? ", overlapped" : ""));
  const TrainScenario s = test::scenario(text(shape, model, ep));
  TrainStep step(s, Detail::ranks);
  TimeAttribution attribution(step);
  Observer* observers[] = {&attribution};
  Time end{0}, useful{0};
  step.visit([&](Workload& inner) {
    LayersAlone work(inner, step);
    end = run(work, observers).end;
    useful = work.useful();
  });
  attribution.finish(end);
  ASSERT_GT(useful, Time{0});
  // useful = M V chunks forward and backward, each useful / (M V): the bubble is P - 1 of them.
  ASSERT_EQ(useful.count() % (shape.micro_batches * shape.vpp), 0);
  const Time bubble = useful / (shape.micro_batches * shape.vpp) * (shape.pp - 1);
  EXPECT_EQ((end - useful).count(), bubble.count());
  for (std::uint32_t r = 0; r < step.actors().size(); ++r)
    EXPECT_EQ(attribution.of(ActorId(r)).time[static_cast<std::size_t>(TimeClass::bubble)], bubble.count()) << "rank " << r;
}

TEST(PipelineBubble, Of1f1bIsPMinusOneOverM) {
  for (const Shape& shape : {Shape{2, 1, 2, false}, {2, 1, 7, false}, {4, 1, 4, false}, {4, 1, 9, false}, {4, 1, 2, false}, {8, 1, 16, false}, {12, 1, 24, false}}) {
    expect_closed_form(shape, kDense, 1);
    expect_closed_form(shape, kMoe, 4);
  }
}

TEST(PipelineBubble, OfInterleaved1f1bIsSmallerByTheChunks) {
  for (const Shape& shape : {Shape{2, 2, 4, true}, {2, 4, 8, true}, {4, 2, 8, true}, {4, 3, 12, true}, {8, 2, 16, true}, {4, 12, 8, true}}) {
    expect_closed_form(shape, kDense, 1);
    expect_closed_form(shape, kMoe, 4);
  }
}

}  // namespace
}  // namespace moesim
