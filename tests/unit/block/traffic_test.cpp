// Bytes that memory-bound kernels move, kernel by kernel. Figures: README.md of sim/block.
#include <gtest/gtest.h>

#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

constexpr std::int64_t kTokens = 4096;

/// Bytes a token by label.
std::map<std::string_view, std::int64_t> traffic_by_label(const NodeList& nodes, const RankLoad& load = {}) {
  std::map<std::string_view, std::int64_t> sum;
  each_op(nodes, load, [&](const Op& op) {
    if (op.traffic != Bytes{0}) sum[op.label] += op.traffic.count();
  });
  for (auto& [label, bytes] : sum) bytes /= kTokens;
  return sum;
}

using Traffic = std::map<std::string_view, std::int64_t>;

TEST(Traffic, OfAGatedAttentionLayer) {
  // h 2048, 16 query and 2 key heads of 256: q 4096, q + k 4608 elements a token.
  const Case c(model_of("attention", 2048, 1000, {gated_attention().kinds[0].parts[0]}));
  const LayerProgram p = c.lower();
  EXPECT_EQ(traffic_by_label(p.forward), (Traffic{{"norm", 4 * 2048},
                                                  {"query/key norm", 4 * 4608},
                                                  {"rotary", 4 * 4608},
                                                  {"output gate", 6 * 4096},
                                                  {"residual", 6 * 2048}}));
  EXPECT_EQ(traffic_by_label(p.backward), (Traffic{{"norm", 8 * 2048},
                                                   {"query/key norm", 8 * 4608},
                                                   {"rotary", 4 * 4608},
                                                   {"output gate", 10 * 4096},
                                                   {"residual", 6 * 2048}}));
}

TEST(Traffic, OfAnMlaLayer) {
  // Split and concat touch q and k (128 heads x 192) and v (128 x 128): read and written once.
  Case c(model_of("mla", 7168, 1000, {mla(128, 1536)}));
  const LayerProgram p = c.lower();
  const std::int64_t rotary = 4 * 128 * (192 + 192 + 128);
  EXPECT_EQ(traffic_by_label(p.forward), (Traffic{{"norm", 4 * 7168},
                                                  {"q latent norm", 4 * 1536},
                                                  {"kv latent norm", 4 * 512},
                                                  {"rotary", rotary},
                                                  {"residual", 6 * 7168}}));
  EXPECT_EQ(traffic_by_label(p.backward), (Traffic{{"norm", 8 * 7168},
                                                   {"q latent norm", 8 * 1536},
                                                   {"kv latent norm", 8 * 512},
                                                   {"rotary", rotary},
                                                   {"residual", 6 * 7168}}));
}

TEST(Traffic, OfAMoeUnitWithATwoStageExchange) {
  // Router 6 and 8 passes over 64 fp32 scores; 8 copies of 3,584 elements at 4 bytes, before sending and on the experts' side;
  // gated unit 6 and 10 bytes an output. Shared: 20,480 wide, behind a gate.
  Case c(model_of("moe", 3584, 1000, {qwen2_57b().kinds[0].parts[1]}));
  c.settings.parallel.ep = 4;
  const LayerProgram p = c.lower();
  const std::int64_t moved = 4 * 3584 * 8;
  const std::int64_t sorted = 4 * 3584 * 8;
  EXPECT_EQ(traffic_by_label(p.forward, c.balanced()), (Traffic{{"norm", 4 * 3584},
                                                                {"shared activation", 6 * 20480},
                                                                {"shared gate", 6 * 3584},
                                                                {"router", 6 * 4 * 64},
                                                                {"permute", moved},
                                                                {"sort by expert", sorted},
                                                                {"expert activation", 6 * 2560 * 8},
                                                                {"unsort", sorted},
                                                                {"unpermute", moved},
                                                                {"residual", 6 * 3584}}));
  EXPECT_EQ(traffic_by_label(p.backward, c.balanced()), (Traffic{{"norm", 8 * 3584},
                                                                 {"shared activation", 10 * 20480},
                                                                 {"shared gate", 10 * 3584},
                                                                 {"router", 8 * 4 * 64},
                                                                 {"permute", moved},
                                                                 {"sort by expert", sorted},
                                                                 {"expert activation", 10 * 2560 * 8},
                                                                 {"unsort", sorted},
                                                                 {"unpermute", moved},
                                                                 {"residual", 6 * 3584}}));
}

TEST(Traffic, UngatedUnitsReadAndWriteTheirOutputOnce) {
  Case c(model_of("dense", 4096, 1000, {DenseMlp{16384, false}}));
  const LayerProgram p = c.lower();
  EXPECT_EQ(traffic_by_label(p.forward).at("activation"), 4 * 16384);
  EXPECT_EQ(traffic_by_label(p.backward).at("activation"), 6 * 16384);
}

TEST(Traffic, OfTheEnds) {
  Case c(llama_3_70b());
  c.model.learned_positions = 4096;
  c.stack.cross_entropy_fusion = false;
  const std::int64_t h = 8192, vocab = 128256;
  const LayerProgram embedding = lower_embedding(c.settings), head = lower_head(c.settings);
  EXPECT_EQ(traffic_by_label(embedding.forward), (Traffic{{"embedding", 4 * h}, {"positions", 6 * h}}));
  EXPECT_EQ(traffic_by_label(embedding.backward),
            (Traffic{{"embedding", 10 * h}, {"positions", 6 * h}}));  // reads bf16, adds into fp32
  EXPECT_EQ(traffic_by_label(head.forward), (Traffic{{"final norm", 4 * h}, {"cross-entropy", 10 * vocab}}));
  EXPECT_EQ(traffic_by_label(head.backward), (Traffic{{"final norm", 8 * h}, {"cross-entropy", 8 * vocab}}));
  c.stack.cross_entropy_fusion = true;
  EXPECT_EQ(traffic_by_label(lower_head(c.settings).forward).at("cross-entropy"), 6 * vocab);
  EXPECT_EQ(traffic_by_label(lower_head(c.settings).backward).at("cross-entropy"), 4 * vocab);
}

TEST(Traffic, OfTheInputOfMultiTokenPrediction) {
  Case c(llama_3_70b());
  c.model.mtp_layers = 1;
  const std::int64_t h = 8192;
  Traffic forward = traffic_by_label(lower_mtp(c.settings).forward), backward = traffic_by_label(lower_mtp(c.settings).backward);
  for (const char* label : {"mtp embedding norm", "mtp hidden norm"}) {
    EXPECT_EQ(forward.at(label), 4 * h);
    EXPECT_EQ(backward.at(label), 8 * h);
  }
  EXPECT_EQ(forward.at("mtp concat"), 8 * h);
  EXPECT_EQ(backward.at("mtp concat"), 8 * h);
  EXPECT_EQ(forward.at("embedding"), 4 * h);
}

TEST(Traffic, SequenceParallelismSplitsNormsAndResiduals) {
  Case one(llama_3_70b()), four(llama_3_70b()), whole(llama_3_70b());
  four.settings.parallel.tp = whole.settings.parallel.tp = 4;
  whole.settings.sequence_parallel = false;
  const Traffic a = traffic_by_label(one.lower().forward), b = traffic_by_label(four.lower().forward),
                w = traffic_by_label(whole.lower().forward);
  for (const char* label : {"norm", "residual", "rotary", "activation"}) EXPECT_EQ(a.at(label), 4 * b.at(label)) << label;
  for (const char* label : {"norm", "residual"}) EXPECT_EQ(w.at(label), a.at(label)) << label;
}

TEST(Traffic, UnfusedAttentionMovesItsScoresThroughMemory) {
  Case c(llama_3_70b());
  EXPECT_EQ(traffic_by_label(c.lower().forward).count("attention scores"), 0u);
  c.stack.fused_attention = false;
  EXPECT_EQ(traffic_by_label(c.lower().forward).at("attention scores"), 14 * 64 * 4096);   // a token: 64 heads x 4,096 keys
  EXPECT_EQ(traffic_by_label(c.lower().backward).at("attention scores"), 18 * 64 * 4096);
}

TEST(Traffic, Fp8DispatchQuantisesTokensBeforeTheyAreSent) {
  Case c(deepseek_v3());
  c.settings.parallel.ep = 64;
  EXPECT_EQ(traffic_by_label(c.lower().forward).count("dispatch"), 0u);
  c.settings.precision.dispatch = DType::fp8;
  EXPECT_EQ(traffic_by_label(c.lower().forward).at("dispatch"), 6 * 7168);
  EXPECT_EQ(traffic_by_label(c.lower().backward).at("dispatch"), 6 * 7168);
}

}  // namespace
}  // namespace moesim
