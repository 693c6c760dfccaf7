// Modules that run as CUDA graphs: the host launches them as one.
#include <gtest/gtest.h>

#include "support/train_cases.h"

namespace moesim {
namespace {

TrainCase graphed(TrainCase c, const std::string& flags) {
  c.extra = R"(, "stack": {"extends": "megatron-core-2026.04")" + flags + "}";
  return c;
}

Time step_time(const TrainCase& c) {
  const TrainScenario s = c.scenario();
  return TrainStep(s, Detail::fold).run().end;
}

/// A step that waits for its host: few tokens.
TrainCase host_bound() {
  TrainCase c;
  c.seq_length = 256;
  c.ep = 8;
  return c;
}

TEST(CudaGraphs, SpareTheHostOfAHostBoundStepModuleByModule) {
  const Time eager = step_time(graphed(host_bound(), ""));
  const Time attention = step_time(graphed(host_bound(), R"(, "cuda_graph_attn": true)"));
  const Time router = step_time(graphed(host_bound(), R"(, "cuda_graph_attn": true, "cuda_graph_moe_router": true)"));
  const Time both = step_time(graphed(host_bound(), R"(, "cuda_graph_attn": true, "cuda_graph_moe_router": true, "cuda_graph_moe_preprocess": true)"));
  EXPECT_LT(attention, eager);
  EXPECT_LT(router, attention);
  EXPECT_LT(both, router);
}

TEST(CudaGraphs, AnAttentionGraphSavesItsLaunchesButOne) {
  // Of 4 layers and 4 micro-batches: 15 kernels forward (13 of which a norm and a residual are the experts'), 24 backward.
  const TrainScenario eager = graphed(host_bound(), "").scenario(), graph = graphed(host_bound(), R"(, "cuda_graph_attn": true)").scenario();
  struct Host : Observer {
    Time busy{0};
    void on_segment(const SegmentSpan& s) override { busy += s.segment.host; }
  } a, b;
  Observer *watch_a[] = {&a}, *watch_b[] = {&b};
  TrainStep(eager, Detail::fold).run(watch_a);
  TrainStep(graph, Detail::fold).run(watch_b);
  const double saved = seconds(a.busy - b.busy) / 16;   // a layer and micro-batch
  const double launches = 2 * 30e-6, forward = 26e-6, backward = 25e-6;
  EXPECT_GT(saved + launches, 10 * forward + 14 * backward);
  EXPECT_LT(saved + launches, 20 * forward + 26 * backward);
}

TEST(CudaGraphs, ChangeLittleWhereTheDeviceIsTheLimit) {
  TrainCase c;
  c.model = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  c.load = "";
  c.seq_length = 8192;
  const double eager = seconds(step_time(graphed(c, ""))), all = seconds(step_time(graphed(c, R"(, "cuda_graph_attn": true, "cuda_graph_mlp": true)")));
  EXPECT_LE(all, eager);
  EXPECT_NEAR(all / eager, 1, 0.01);
}

TEST(CudaGraphs, AGapBetweenKernelsIsOnTheDeviceAndNotInsideGraphs) {
  TrainCase c;
  c.model = R"({"extends": "llama-3-8b", "num_hidden_layers": 4})";
  c.load = "";
  c.seq_length = 8192;
  const std::string gap = R"(, "kernel_gap": "2 us")", graphs = R"(, "cuda_graph_attn": true, "cuda_graph_mlp": true)";
  const Time none = step_time(graphed(c, "")), eager = step_time(graphed(c, gap)), inside = step_time(graphed(c, gap + graphs));
  EXPECT_GT(eager, none + 16 * 20 * 2 * kMicrosecond);   // 33 kernels a layer and micro-batch in both passes, and the ends
  EXPECT_LT(eager, none + 16 * 40 * 2 * kMicrosecond);
  EXPECT_LT(inside, eager);
}

}  // namespace
}  // namespace moesim
