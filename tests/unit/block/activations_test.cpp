// What a micro-batch keeps, against published figures of DeepSeek-V3 and by closed forms.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

constexpr double kGiB = 1024.0 * 1024 * 1024;

Bytes kept(const Case& c) { return saved_by_layer(c.settings, c.last()).at(c.balanced().tokens); }

/// DeepSeek-V3 at the published check: 4,096 tokens a micro-batch, BF16, TP 1, EP 64.
struct Published : Case {
  Published() : Case(deepseek_v3()) { settings.parallel.ep = 64; }
  double gib(double layer_micro_batches) const { return static_cast<double>(kept(*this).count()) * layer_micro_batches / kGiB; }
};

// PP4 x VPP4, four layers a chunk. Chunks alive at the peak of stage r: 2 (P - r - 1) + (V - 1) P + 1 = 19, 17, 15, 13.
constexpr double kFirstStage = 19 * 4, kSecondStage = 17 * 4;

TEST(Activations, DeepSeekV3On256GpusKeepsWhatItsReportSays) {
  const Published c;
  // 131.0 GiB in the report. The first stage that holds 16 MoE layers (three of the 61 are dense) is the second one.
  EXPECT_NEAR(c.gib(kSecondStage) / 131.0, 1, 0.07);
  EXPECT_NEAR(c.gib(kFirstStage) / 131.0, 1, 0.07);  // if it held 16 MoE layers
  // The independent estimate without a second copy of fc2's input: 131.7 GB.
  EXPECT_NEAR(c.gib(kSecondStage) * kGiB / 1e9, 131.7, 0.2);

  std::cout << "one DeepSeek-V3 layer and micro-batch of 4096 tokens, MiB:\n";
  for (const SavedTensor& t : saved_by_layer(c.settings, c.last()).tensors) {
    const Bytes all = t.per_token_copy ? t.bytes * c.balanced().tokens : t.bytes;
    std::cout << "  " << t.name << ": " << static_cast<double>(all.count()) / 1024 / 1024 << "\n";
  }
  std::cout << "  sum: " << kept(c).count() / 1024 / 1024 << "; 68 of them: " << c.gib(kSecondStage) << " GiB\n";
}

// The report's savings fit its own count of live layers: 16 (P - 1) + 4 (P - 1) = 60 layer micro-batches.
constexpr double kReport = 60;

double saving(const Case& with, const Case& without) {
  return static_cast<double>((kept(with) - kept(without)).count()) * kReport / kGiB;
}

TEST(Activations, RecomputingUpProjectionsSavesWhatTheReportMeasured) {
  Published all, less;
  less.recompute(&Recompute::mla_up_proj);
  EXPECT_NEAR(saving(all, less), 30.4, 0.5);
}

TEST(Activations, Fp8SavesWhatTheReportMeasured) {
  Published bf16, fp8;
  fp8.settings.precision.compute = DType::fp8;
  EXPECT_NEAR(saving(bf16, fp8), 16, 1);
}

TEST(Activations, RecomputingActivationsAndNormsInFp8SavesWhatTheReportMeasured) {
  Published all, act, norms;
  for (Published* c : {&all, &act, &norms}) c->settings.precision.compute = DType::fp8;
  act.recompute(&Recompute::moe_act);
  norms.recompute(&Recompute::layernorm);
  EXPECT_NEAR(saving(all, act), 3.8, 0.1);
  EXPECT_NEAR(saving(all, norms), 8.2, 0.1);
}

TEST(Activations, ADenseLayerKeepsTheClosedForm) {
  // Bytes a token: norm inputs and outputs 8h, q k v 2 (64 + 16) 128, statistics 4 x 64, output 2 x 64 x 128, fc1 4f, activation
  // 2f.
  const Case c(llama_3_70b());
  EXPECT_EQ(kept(c), Bytes{4096 * (8 * 8192 + 2 * 80 * 128 + 4 * 64 + 2 * 8192 + 6 * 28672)});
}

TEST(Activations, GatedAttentionKeepsItsGateAndBothOutputs) {
  // Bytes a token: norm 4h; q and k before their norms and q, k, v after rotary; statistics; output, gate and gated output.
  const Case c(model_of("attention", 2048, 1000, {gated_attention().kinds[0].parts[0]}));
  const std::int64_t q = 16 * 256, kv = 2 * 256;
  EXPECT_EQ(kept(c), Bytes{4096 * (4 * 2048 + 2 * (q + kv) + 2 * (q + 2 * kv) + 4 * 16 + 3 * 2 * q)});
}

TEST(Activations, SparseAttentionKeepsItsIndexer) {
  const Case c(model_of("mla", 6144, 1000, {glm_5().kinds[0].parts[0]}));
  Mla plain = std::get<Mla>(c.model.kinds[0].parts[0]);
  plain.index_heads = plain.index_head_dim = plain.index_topk = 0;
  const Case without(model_of("mla", 6144, 1000, {plain}));
  EXPECT_EQ(kept(c) - kept(without), Bytes{4096 * 2 * (32 * 128 + 128 + 32)});
}

TEST(Activations, ASharedGateKeepsWhatItScales) {
  MoeMlp u = moe(64, 8, 2560, 20480);
  const Case plain(model_of("moe", 3584, 1000, {u}));
  u.shared_expert_gate = true;
  const Case gated(model_of("moe", 3584, 1000, {u}));
  EXPECT_EQ(kept(gated) - kept(plain), Bytes{4096 * 2 * 3584});
}

TEST(Activations, PostNormsKeepTheirInputsAndAShortcutSharesItsNorm) {
  ModelSpec post = llama_3_70b();
  post.kinds[0].norms = 4;  // one after each part too
  EXPECT_EQ(kept(Case(post)) - kept(Case(llama_3_70b())), Bytes{4096 * 2 * 2 * 8192});
  ModelSpec own = longcat();
  own.kinds[0].norms = 5;
  EXPECT_EQ(kept(Case(own)) - kept(Case(longcat())), Bytes{4096 * 4 * 6144});
}

TEST(Activations, TensorAndSequenceParallelismDivideADenseLayer) {
  Case one(llama_3_70b()), eight(llama_3_70b());
  eight.settings.parallel.tp = 8;
  EXPECT_EQ(kept(eight) * 8, kept(one));
}

TEST(Activations, WithoutSequenceParallelismNormsAreKeptWhole) {
  Case with(llama_3_70b()), without(llama_3_70b());
  with.settings.parallel.tp = without.settings.parallel.tp = 4;
  without.settings.sequence_parallel = false;
  EXPECT_EQ(kept(without) - kept(with), Bytes{4096 * 8 * 8192 / 4 * 3});
}

TEST(Activations, ExpertTensorsFollowTheComputedCopies) {
  const Case c(qwen3_30b());
  const SavedActivations s = saved_by_layer(c.settings, c.last());
  EXPECT_EQ(s.per_token_copy(), Bytes{2 * 2048 + 4 * 768 + 2 * 768});
  EXPECT_EQ(s.at(1000) - s.at(0), s.per_token_copy() * 1000);
  EXPECT_EQ(s.at(0), s.fixed());
}

TEST(Activations, EtpKeepsGatheredTokensWholeAndExpertWidthsCut) {
  Case one(mixtral_8x7b()), two(mixtral_8x7b());
  two.settings.parallel.etp = 2;
  const SavedActivations a = saved_by_layer(one.settings, one.last()), b = saved_by_layer(two.settings, two.last());
  // Twice the copies: tokens of full width double, the unit's inner tensors are half as wide.
  EXPECT_EQ(b.per_token_copy() - a.per_token_copy(), Bytes{2 * 4096});
}

TEST(Activations, EachModuleDropsItsTensors) {
  const auto dropped = [](ModelSpec (*make)(), bool Recompute::*module) {
    Case all(make()), less(make());
    less.recompute(module);
    std::set<std::string_view> names;
    for (const SavedTensor& t : saved_by_layer(all.settings, all.last()).tensors) names.insert(t.name);
    for (const SavedTensor& t : saved_by_layer(less.settings, less.last()).tensors) names.erase(t.name);
    return names;
  };
  using Names = std::set<std::string_view>;
  EXPECT_EQ(dropped(llama_3_70b, &Recompute::core_attn), (Names{"softmax statistics"}));
  EXPECT_EQ(dropped(llama_3_70b, &Recompute::layernorm), (Names{"norm output"}));
  EXPECT_EQ(dropped(llama_3_70b, &Recompute::mlp), (Names{"fc1 output", "activation output"}));
  EXPECT_EQ(dropped(deepseek_v3, &Recompute::mla_up_proj), (Names{"q, k, v after rotary"}));
  EXPECT_EQ(dropped(deepseek_v3, &Recompute::moe_act), (Names{"expert activation output"}));
  EXPECT_EQ(dropped(deepseek_v3, &Recompute::shared_experts), (Names{"shared fc1 output", "shared activation output"}));
  EXPECT_EQ(dropped(deepseek_v3, &Recompute::moe),
            (Names{"router probabilities", "routing map", "shared fc1 output", "shared activation output", "permuted tokens",
                   "expert fc1 output", "expert activation output", "combine output"}));
}

TEST(Activations, FullRecomputationKeepsTheLayerInputAlone) {
  Case c(deepseek_v3());
  const Bytes all = kept(c);
  const std::int64_t copies = c.balanced().tokens;
  c.settings.recompute.granularity = RecomputeGranularity::full;
  EXPECT_EQ(kept(c), Bytes{2 * 7168 * 4096});
  EXPECT_EQ(recompute_workspace(c.settings, c.last(), copies), all - kept(c));
}

TEST(Activations, SelectiveRecomputationBringsBackOnePartAtATime) {
  Case c(deepseek_v3());
  EXPECT_EQ(recompute_workspace(c.settings, c.last(), 0), Bytes{0});
  c.recompute(&Recompute::mla_up_proj).recompute(&Recompute::moe_act);
  const Bytes qkv{2 * 128 * (192 + 192 + 128) * 4096};
  EXPECT_EQ(recompute_workspace(c.settings, c.last(), 0), qkv);
  EXPECT_EQ(recompute_workspace(c.settings, c.last(), 1'000'000), Bytes{2 * 2048 * 1'000'000LL});  // more than q, k, v
}

TEST(Activations, TheHeadKeepsSixBytesALogitOrTwoIfFused) {
  Case c(llama_3_70b());
  const Bytes hidden{2 * 2 * 8192 * 4096};
  c.stack.cross_entropy_fusion = false;
  EXPECT_EQ(saved_by_head(c.settings).fixed() - hidden, Bytes{6 * 128256LL * 4096});
  c.stack.cross_entropy_fusion = true;
  EXPECT_EQ(saved_by_head(c.settings).fixed() - hidden, Bytes{2 * 128256LL * 4096});
}

TEST(Activations, MultiTokenPredictionKeepsALayerAndItsOwnInputs) {
  Case c(deepseek_v3());
  c.model.mtp_layers = 1;
  EXPECT_EQ(saved_by_mtp(c.settings).fixed() - saved_by_layer(c.settings, c.last()).fixed(), Bytes{4096 * (8 + 8 * 7168)});
}

TEST(Activations, TensorNamesDoNotRepeatWithinAPart) {
  const Case c(model_of("moe", 7168, 1000, {moe(256, 8, 2048, 2048)}));
  std::set<std::string_view> names;
  for (const SavedTensor& t : saved_by_layer(c.settings, c.last()).tensors) EXPECT_TRUE(names.insert(t.name).second) << t.name;
}

TEST(Activations, MixersWithoutATimeModelStillHaveAnInventory) {
  const std::vector<Part> parts{DeltaNet{16, 32, 128, 128, 4}, Lightning{64, 128}, Mamba{8192, 16, 4, 256},
                                Mamba2{64, 64, 8, 128, 4}, CompressedAttention{64, 512, 1024, 1024, 8, 4, 64, 128, 512, 128}};
  for (const Part& part : parts) {
    const Case c(model_of("mixer", 4096, 1000, {part}));
    EXPECT_GT(kept(c), Bytes{4096 * 4 * 4096}) << part_name(part);  // more than the norm's input and output
  }
}

TEST(Activations, UnfusedAttentionKeepsFiveBytesAScoreUnlessRecomputed) {
  // llama-3-70b: 64 heads; 8 of them on a rank of TP8. Instead of 4 bytes of statistics a row: 5 bytes for each of its 2,048 scores.
  Case fused(llama_3_70b(), 2048), unfused(llama_3_70b(), 2048), again(llama_3_70b(), 2048);
  for (Case* c : {&fused, &unfused, &again}) c->settings.parallel.tp = 8;
  unfused.stack.fused_attention = again.stack.fused_attention = false;
  again.recompute(&Recompute::core_attn);
  EXPECT_EQ((kept(unfused) - kept(fused)).count(), 8 * 2048 * (5 * 2048 - 4));
  EXPECT_EQ((kept(unfused) - kept(again)).count(), 8 * 2048 * 5 * 2048);
}

TEST(Activations, LongerMicroBatchesKeepProportionallyMore) {
  Case one(deepseek_v3()), two(deepseek_v3());
  two.settings.micro_batch_size = 2;
  EXPECT_EQ(kept(two), kept(one) * 2);
}

}  // namespace
}  // namespace moesim
