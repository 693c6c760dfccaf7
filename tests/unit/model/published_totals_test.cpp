// Every model under models/ against the vendor's figure and against an independent parameter counter.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "model/count.h"
#include "model/load.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

// Totals that differ by over 1 % from the vendor's headline, and why.
const std::map<std::string, std::string> kExceptions{
    {"deepseek-v4-pro", "1.6T is rounded; the attention is counted approximately"},
    {"kimi-k2", "1.04T is the vendor's rounded-up headline, who also says 1T"},
    {"kimi-k2.5", "as kimi-k2"},
    {"llama-4-scout", "109 B includes the vision tower of about 0.9 B"},
    {"ernie-4.5-21b-a3b", "the headline is rounded down to 21; 21.8 is the text part"},
    {"granite-3.0-1b-a400m", "1.3 is rounded from 1.335"},
    {"gpt-1.7b", "1.7 is rounded from 1.745"},
    {"gpt-32b", "32 is rounded from 31.5"},
};

// No count is published for these.
const std::map<std::string, std::string> kUnpublished{
    {"alps-qwen3-moe-45l", "a training recipe"},
    {"jupiter-dense-32b", "a stand-in"},
    {"llama-3-8x70b", "a shape of a paper on parallelism"},
    {"mixtral-8x22b-g8t8", "a shape of a paper on parallelism"},
};

TEST(PublishedTotals, AreMetWithinOnePercentBesideTheListedExceptions) {
  for (const std::string& name : model_names(kData)) {
    SCOPED_TRACE(name);
    const ModelSpec model = load_model(name, kData);
    if (kUnpublished.count(name) != 0) {
      EXPECT_EQ(model.published_total_params, 0);
      continue;
    }
    ASSERT_GT(model.published_total_params, 0);
    const double error = static_cast<double>(count_params(model).total()) / model.published_total_params - 1;
    if (kExceptions.count(name) != 0)
      EXPECT_GT(std::abs(error), 0.01) << "no longer an exception";
    else
      EXPECT_LE(std::abs(error), 0.01);
    EXPECT_LE(std::abs(error), 0.045);
  }
}

TEST(PublishedTotals, AreListedWithTheCountedOnes) {
  std::stringstream readme;
  readme << std::ifstream(kData / "models/README.md").rdbuf();
  for (const std::string& name : model_names(kData)) {
    const ModelSpec model = load_model(name, kData);
    char total[32];
    std::snprintf(total, sizeof total, "| %.3f |", static_cast<double>(count_params(model).total()) * 1e-9);
    const std::size_t row = readme.str().find("\n| " + name + " | ");
    ASSERT_NE(row, std::string::npos) << name;
    EXPECT_NE(readme.str().substr(row + 1, readme.str().find('\n', row + 1) - row).find(total), std::string::npos) << name << " has " << total;
  }
}

TEST(PublishedTotals, EveryShippedModelLoadsWithoutWarnings) {
  const std::vector<std::string> names = model_names(kData);
  EXPECT_GE(names.size(), 60u);
  for (const std::string& name : names) {
    const ModelSpec model = load_model(name, kData);
    EXPECT_EQ(model.name, name);
    EXPECT_EQ(model.warnings, std::vector<std::string>{}) << name;
  }
}

struct Counted {
  const char* name;
  double total, active;  // billions
};

// From a counter written independently of this one.
const Counted kCounted[] = {
    {"mixtral-8x7b", 46.703, 12.880},
    {"mixtral-8x22b", 140.621, 39.152},
    {"deepseek-v3", 671.026, 37.552},
    {"deepseek-v3.2", 671.878, 38.404},
    {"deepseek-v4-flash", 284.297, 13.764},
    {"deepseek-v4-pro", 1572.911, 49.693},
    {"kimi-k2", 1026.408, 32.862},
    {"kimi-k2.5", 1026.408, 32.862},
    {"qwen3-30b-a3b", 30.532, 3.353},
    {"qwen3-235b-a22b", 235.094, 22.191},
    {"qwen3-coder-480b-a35b", 480.155, 35.475},
    {"qwen3.5-397b-a17b", 396.346, 17.349},
    {"gpt-oss-20b", 20.915, 4.187},
    {"gpt-oss-120b", 116.829, 5.712},
    {"glm-5", 743.911, 41.785},
    {"llama-4-scout", 107.770, 17.173},
    {"llama-4-maverick", 400.712, 17.185},
    {"minimax-m2", 228.690, 11.031},
    {"minimax-m2.5", 228.690, 11.031},
    {"llama-3.1-8b", 8.030, 8.030},
    {"llama-3.1-70b", 70.554, 70.554},
    {"llama-3.1-405b", 405.853, 405.853},
    {"qwen2.5-32b", 32.764, 32.764},
    {"qwen2.5-72b", 72.706, 72.706},
    {"qwen3-8b", 8.191, 8.191},
    {"qwen3-32b", 32.762, 32.762},
    {"deepseek-v2", 235.741, 21.376},
    {"deepseek-v2-lite", 15.706, 2.661},
    {"moonlight-16b-a3b", 15.960, 2.915},
    {"qwen1.5-moe-a2.7b", 14.316, 2.689},
    {"qwen2-57b-a14b", 57.409, 14.249},
    {"qwen3-next-80b-a3b", 79.674, 3.875},
    {"glm-4.5-air", 106.852, 13.424},
    {"glm-4.5", 352.798, 33.632},
    {"olmoe-1b-7b", 6.919, 1.282},
    {"dbrx", 131.597, 36.470},
    {"grok-1", 315.684, 83.756},
    {"hunyuan-a13b", 80.393, 12.747},
    {"minimax-text-01", 456.090, 48.403},
    {"ernie-4.5-300b-a47b", 299.484, 47.927},
    {"ernie-4.5-21b-a3b", 21.825, 3.352},
    {"phi-3.5-moe", 41.873, 6.641},
    {"granite-3.0-1b-a400m", 1.335, 0.429},
    {"granite-3.0-3b-a800m", 3.299, 0.883},
    {"dots.llm1", 142.774, 14.017},
    {"longcat-flash", 560.665, 27.955},
    {"jamba-1.0", 51.570, 12.110},
    {"nemotron-3-nano-30b-a3b", 31.578, 3.580},
    {"nemotron-3-super-120b-a12b", 120.669, 12.770},
    // 12 h^2 L + 2 V h of Megatron-LM's weak-scaling ladder; biases and norms are the rest
    {"gpt-1.7b", 1.74, 1.74},
    {"gpt-7.1b", 7.11, 7.11},
    {"gpt-16b", 16.1, 16.1},
    {"gpt-32b", 31.5, 31.5},
    {"gpt-70b", 69.8, 69.8},
    {"gpt-119b", 118.5, 118.5},
    {"gpt-177b", 177.2, 177.2},
    {"gpt-314b", 313.5, 313.5},
    {"gpt-462b", 461.5, 461.5},
};

TEST(CountedParameters, AgreeWithAnIndependentCounter) {
  for (const Counted& expected : kCounted) {
    SCOPED_TRACE(expected.name);
    const ModelParams params = count_params(load_model(expected.name, kData));
    const double rounding = expected.total < 2 ? 0.004 : 0.001;  // three digits of a small figure
    EXPECT_NEAR(static_cast<double>(params.total()) / 1e9 / expected.total, 1, rounding);
    EXPECT_NEAR(static_cast<double>(params.active()) / 1e9 / expected.active, 1, 0.005);
  }
}

TEST(CountedParameters, LlamaThreeHasTheShapeOfLlamaThreePointOne) {
  for (const char* size : {"8b", "70b"}) {
    const ModelSpec old = load_model(std::string("llama-3-") + size, kData),
                    next = load_model(std::string("llama-3.1-") + size, kData);
    EXPECT_EQ(count_params(old).total(), count_params(next).total());
    EXPECT_EQ(flops_per_token(old, 8192), flops_per_token(next, 8192));
  }
}

}  // namespace
}  // namespace moesim
