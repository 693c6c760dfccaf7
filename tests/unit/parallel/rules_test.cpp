#include "parallel/rules.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace moesim {
namespace {

ModelSpec model_of(std::vector<Part> parts) {
  ModelSpec model;
  model.hidden_size = 2048;
  model.kinds = {{.name = "layer", .parts = std::move(parts), .norms = 2}};
  model.layers = {0, 0};
  return model;
}

ModelSpec qwen() {   // the sizes of Qwen3-30B-A3B
  return model_of({Gqa{.heads = 32, .kv_heads = 4, .head_dim = 128},
                   MoeMlp{.num_experts = 128, .top_k = 8, .moe_ffn_hidden_size = 768}});
}

std::string verdict(const ModelSpec& model, const ParallelSizes& sizes, const LayoutUse& use = {.seq_length = 4096}) {
  try {
    check_model_fits_layout(model, ParallelLayout(sizes), use);
  } catch (const InputError& e) {
    return e.what();
  }
  return "fits";
}

TEST(LayoutRules, AModelThatTheLayoutCutsEvenlyFits) {
  EXPECT_EQ(verdict(qwen(), {.gpus = 64, .tp = 4, .pp = 2, .cp = 2, .ep = 8, .etp = 1}), "fits");
  EXPECT_EQ(verdict(model_of({Gqa{.heads = 64, .kv_heads = 8}, DenseMlp{.ffn_hidden_size = 28672}}), {.gpus = 64, .tp = 8, .pp = 8}), "fits");
  EXPECT_EQ(verdict(model_of({Mla{.heads = 128}, MoeMlp{.num_experts = 256, .top_k = 8, .moe_ffn_hidden_size = 2048,
                                                        .shared_expert_ffn_hidden_size = 2048}}),
                    {.gpus = 2048, .pp = 16, .ep = 64}),
            "fits");
}

TEST(LayoutRules, ExpertsMustDivideByEp) {
  EXPECT_EQ(verdict(qwen(), {.gpus = 96, .ep = 48}), "ep: found 48, allowed is a divisor of num_experts 128: 1, 2, 4, 8, 16, 32, 64, 128");
}

TEST(LayoutRules, DenseModelsTakeNoExpertParallelism) {
  EXPECT_EQ(verdict(model_of({Gqa{.heads = 8, .kv_heads = 8}, DenseMlp{.ffn_hidden_size = 64}}), {.gpus = 8, .ep = 8}),
            "ep: found 8, allowed is 1: the model has no experts");
}

TEST(LayoutRules, HeadsMustDivideByTp) {
  EXPECT_EQ(verdict(qwen(), {.gpus = 3, .tp = 3, .etp = 1}), "tp: found 3, allowed is a divisor of the attention heads 32: 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(verdict(qwen(), {.gpus = 8, .tp = 8}), "fits");  // each of the 4 key/value heads on two ranks
  ModelSpec six = qwen();
  for (LayerKind& kind : six.kinds)
    for (Part& part : kind.parts)
      if (auto* gqa = std::get_if<Gqa>(&part)) gqa->kv_heads = 6, gqa->heads = 24;
  EXPECT_EQ(verdict(six, {.gpus = 8, .tp = 8}), "tp: found 8, allowed is a divisor of the key/value heads 6: 1, 2, 3, 6");
  EXPECT_EQ(verdict(model_of({Mla{.heads = 9}}), {.gpus = 2, .tp = 2}), "tp: found 2, allowed is a divisor of the attention heads 9: 1, 3, 9");
  EXPECT_EQ(verdict(model_of({DeltaNet{.key_heads = 16, .value_heads = 6}}), {.gpus = 4, .tp = 4}),
            "tp: found 4, allowed is a divisor of the value heads of the delta net 6: 1, 2, 3, 6");
  EXPECT_EQ(verdict(model_of({Mamba2{.heads = 64, .groups = 8}}), {.gpus = 16, .tp = 16}),
            "tp: found 16, allowed is a divisor of the groups of Mamba-2 8: 1, 2, 4, 8");
}

TEST(LayoutRules, WidthsMustDivideByTheirTensorSize) {
  EXPECT_EQ(verdict(model_of({DenseMlp{.ffn_hidden_size = 10}}), {.gpus = 4, .tp = 4}),
            "tp: found 4, allowed is a divisor of ffn_hidden_size 10: 1, 2, 5, 10");
  EXPECT_EQ(verdict(model_of({MoeMlp{.num_experts = 8, .top_k = 2, .moe_ffn_hidden_size = 6}}), {.gpus = 8, .tp = 2, .etp = 4}),
            "etp: found 4, allowed is a divisor of moe_ffn_hidden_size 6: 1, 2, 3, 6");
  EXPECT_EQ(verdict(model_of({MoeMlp{.num_experts = 8, .top_k = 2, .moe_ffn_hidden_size = 8, .shared_expert_ffn_hidden_size = 7}}),
                    {.gpus = 8, .tp = 2}),
            "tp: found 2, allowed is a divisor of the shared experts' ffn_hidden_size 7: 1, 7");
}

TEST(LayoutRules, TheSequenceMustCutByContextAndSequenceParallelism) {
  EXPECT_EQ(verdict(qwen(), {.gpus = 4, .cp = 4}, {.seq_length = 100}), "seq_length: found 100, allowed is a multiple of 2 * cp = 2 * 4 = 8");
  EXPECT_EQ(verdict(qwen(), {.gpus = 8, .tp = 4, .cp = 2}, {.seq_length = 100}), "seq_length: found 100, allowed is a multiple of cp * tp = 2 * 4 = 8");
  EXPECT_EQ(verdict(qwen(), {.gpus = 1}, {.seq_length = 4097}), "fits");
  EXPECT_EQ(verdict(qwen(), {.gpus = 4, .tp = 4}, {.seq_length = 0}), "fits");
}

TEST(LayoutRules, TrainingMoeWithTensorParallelismNeedsSequenceParallelism) {
  EXPECT_EQ(verdict(qwen(), {.gpus = 4, .tp = 4}, {.seq_length = 4096, .sequence_parallel = false}),
            "tp: found 4 without sequence parallelism, allowed is 1: training a MoE model with tp > 1 needs sequence_parallel");
  EXPECT_EQ(verdict(qwen(), {.gpus = 4, .tp = 4}, {.seq_length = 4096, .sequence_parallel = false, .training = false}), "fits");
  EXPECT_EQ(verdict(qwen(), {.gpus = 4, .tp = 1}, {.seq_length = 4096, .sequence_parallel = false}), "fits");
}

}  // namespace
}  // namespace moesim
