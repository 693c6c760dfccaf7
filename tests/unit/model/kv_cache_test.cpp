#include <gtest/gtest.h>

#include "model/count.h"
#include "model/load.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

double kv(const std::string& name, std::int64_t seq_length = 4096) {
  return kv_bytes_per_token(load_model(name, kData), seq_length);
}

TEST(KvBytesPerToken, OfLatentAttentionAreTheLatentAndTheRotaryKey) {
  EXPECT_EQ(kv("deepseek-v3"), (512 + 64) * 2 * 61);
  EXPECT_EQ(kv("kimi-k2"), (512 + 64) * 2 * 61);
  EXPECT_EQ(kv("longcat-flash"), (512 + 64) * 2 * 2 * 28);  // two attentions a block
}

TEST(KvBytesPerToken, OfASparseIndexerAddItsKey) { EXPECT_EQ(kv("deepseek-v3.2"), (512 + 64 + 128) * 2 * 61); }

TEST(KvBytesPerToken, OfGroupedQueryAttentionAreKeysAndValuesOfEachGroup) {
  EXPECT_EQ(kv("llama-3.1-8b"), 2 * 8 * 128 * 2 * 32);
  EXPECT_EQ(kv("qwen3-235b-a22b"), 2 * 4 * 128 * 2 * 94);
}

TEST(KvBytesPerToken, AWindowKeepsOnlyItsTokens) {
  // gpt-oss-20b: 12 full layers, and 12 that keep 128 of 4096 tokens
  EXPECT_DOUBLE_EQ(kv("gpt-oss-20b"), 2 * 8 * 64 * 2 * (12 + 12 * 128.0 / 4096));
  EXPECT_DOUBLE_EQ(kv("gpt-oss-20b", 64), 2 * 8 * 64 * 2 * 24);
}

TEST(KvBytesPerToken, ARecurrentStateIsSpreadOverTheSequence) {
  // Qwen3-Next: 12 attention layers of 2 groups of 256; 36 states of 32 heads x 128 x 128 and 3 steps of convolution over 8192
  // channels
  const double attention = 2 * 2 * 256 * 2 * 12, state = 36.0 * (32 * 128 * 128 + 3 * 8192) * 2;
  EXPECT_DOUBLE_EQ(kv("qwen3-next-80b-a3b", 4096), attention + state / 4096);
  EXPECT_DOUBLE_EQ(kv("qwen3-next-80b-a3b", 8192), attention + state / 8192);
}

TEST(KvBytesPerToken, CompressionDividesTheCache) {
  // a layer of ratio 4 over 4096 tokens: 512 and 128 / 4, and a window of 128 tokens uncompressed
  ModelSpec model = load_model("deepseek-v4-flash", kData);
  model.layers = {model.layers[2]};
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model, 4096), 2 * ((512 + 128) / 4.0 + 512 * 128.0 / 4096));
}

}  // namespace
}  // namespace moesim
