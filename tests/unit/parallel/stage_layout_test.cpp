#include "parallel/stage_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"

namespace moesim {
namespace {

std::vector<std::int64_t> layers_in_model_order(const StageLayout& layout) {
  std::vector<std::int64_t> out;
  for (std::int64_t c = 0; c < layout.vpp(); ++c)
    for (std::int64_t s = 0; s < layout.pp(); ++s) out.push_back(layout.chunk(s, c).num_layers);
  return out;
}

std::string parse_error(std::string_view text, std::int64_t layers = 4, std::int64_t mtp = 0, std::int64_t pp = 2, std::int64_t vpp = 1) {
  try {
    StageLayout::parse(text, layers, mtp, pp, vpp);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

/// What must hold of any layout: contiguous layers, embedding first, loss last.
void expect_whole_model(const StageLayout& layout, std::int64_t num_layers, std::int64_t mtp_layers) {
  std::int64_t layer = 0, mtp = 0;
  for (std::int64_t c = 0; c < layout.vpp(); ++c)
    for (std::int64_t s = 0; s < layout.pp(); ++s) {
      const StageChunk& chunk = layout.chunk(s, c);
      EXPECT_EQ(chunk.first_layer, layer);
      EXPECT_EQ(chunk.embedding, s == 0 && c == 0);
      EXPECT_EQ(chunk.loss, s == layout.pp() - 1 && c == layout.vpp() - 1);
      layer += chunk.num_layers;
      mtp += chunk.mtp_layers;
    }
  EXPECT_EQ(layer, num_layers);
  EXPECT_EQ(mtp, mtp_layers);
}

TEST(StageLayout, ChunkCOfStageRIsModelPartCTimesPpPlusR) {
  const StageLayout layout = StageLayout::balanced(24, 0, 4, 3);   // 12 chunks of 2 layers
  EXPECT_TRUE(layout.even());
  EXPECT_EQ(layout.chunk(0, 0).first_layer, 0);
  EXPECT_EQ(layout.chunk(3, 0).first_layer, 6);
  EXPECT_EQ(layout.chunk(0, 1).first_layer, 8);
  EXPECT_EQ(layout.chunk(2, 2).first_layer, 20);    // part 2 * 4 + 2 = 10
  expect_whole_model(layout, 24, 0);
}

TEST(StageLayout, SixtyOneLayersOn16StagesCountEmbeddingMtpAndLossAsOneLayerEach) {
  // 61 + embedding + MTP + loss = 64 = 16 * 4: the first stage gives up 1 layer, the last 2.
  const StageLayout layout = StageLayout::balanced(61, 1, 16, 1);
  std::vector<std::int64_t> expected(16, 4);
  expected.front() = 3;
  expected.back() = 2;
  EXPECT_EQ(layers_in_model_order(layout), expected);
  EXPECT_FALSE(layout.even());
  EXPECT_EQ(layout.chunk(15, 0).mtp_layers, 1);
  EXPECT_EQ(layout.text(), "Et*3|(t*4|)*14,ttmL");
  expect_whole_model(layout, 61, 1);
}

TEST(StageLayout, WhatIsLeftOverGoesToLateInnerChunks) {
  // 14 + 2 = 16 = 4 * 4. One layer more makes 17: the extra one goes to the last chunk that is not an end.
  EXPECT_EQ(layers_in_model_order(StageLayout::balanced(14, 0, 4, 1)), (std::vector<std::int64_t>{3, 4, 4, 3}));
  EXPECT_EQ(layers_in_model_order(StageLayout::balanced(15, 0, 4, 1)), (std::vector<std::int64_t>{3, 4, 5, 3}));
  EXPECT_EQ(layers_in_model_order(StageLayout::balanced(17, 0, 4, 1)), (std::vector<std::int64_t>{4, 5, 5, 3}));
  // No chunk goes empty, however light the rest is.
  EXPECT_EQ(layers_in_model_order(StageLayout::balanced(5, 1, 4, 1)), (std::vector<std::int64_t>{1, 1, 2, 1}));
}

TEST(StageLayout, BalancedHoldsTheWholeModelForAnySizes) {
  for (std::int64_t pp = 1; pp <= 6; ++pp)
    for (std::int64_t vpp = 1; vpp <= 3; ++vpp)
      for (std::int64_t layers = pp * vpp; layers < 40; ++layers)
        for (std::int64_t mtp : {0, 1, 3}) {
          const StageLayout layout = StageLayout::balanced(layers, mtp, pp, vpp);
          expect_whole_model(layout, layers, mtp);
          EXPECT_EQ(layout.even(), layers % (pp * vpp) == 0);
          for (std::int64_t n : layers_in_model_order(layout)) EXPECT_GE(n, 1);
          EXPECT_EQ(StageLayout::parse(layout.text(), layers, mtp, pp, vpp), layout) << layout.text();
        }
}

TEST(StageLayout, BalancedRefusesFewerLayersThanChunks) {
  try {
    StageLayout::balanced(61, 1, 16, 4);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "the model's 61 layers do not give every chunk a layer: pp * vpp = 16 * 4 = 64");
  }
}

TEST(StageLayout, ParsesTheLayoutOfADeepSeekRecipe) {
  // 1 + 29 + 2 = 32 chunks: the embedding with 3 layers, 29 pairs, the MTP block, the loss; 3 + 58 = 61 layers.
  const std::string text = "Et*3|(tt|)*29,m|L";
  const StageLayout layout = StageLayout::parse(text, 61, 1, 16, 2);
  expect_whole_model(layout, 61, 1);
  EXPECT_FALSE(layout.even());
  EXPECT_EQ(layout.chunk(0, 0).num_layers, 3);
  EXPECT_EQ(layout.chunk(0, 1).num_layers, 2);
  EXPECT_EQ(layout.chunk(14, 1), (StageChunk{.first_layer = 61, .num_layers = 0, .embedding = false, .mtp_layers = 1, .loss = false}));
  EXPECT_EQ(layout.chunk(15, 1), (StageChunk{.first_layer = 61, .num_layers = 0, .embedding = false, .mtp_layers = 0, .loss = true}));
  EXPECT_EQ(layout.text(), text);
  EXPECT_EQ(StageLayout::count_chunks(text), 32);
}

TEST(StageLayout, ParsesTheAlpsQwenRecipe) {
  // Embedding and 1 layer, 22 chunks of 2, the loss alone: 24 = PP4 x VPP6, 45 layers.
  const StageLayout layout = StageLayout::parse("Et|(tt|)*22L", 45, 0, 4, 6);
  expect_whole_model(layout, 45, 0);
  EXPECT_EQ(layers_in_model_order(layout).front(), 1);
  EXPECT_EQ(layers_in_model_order(layout).back(), 0);
}

TEST(StageLayout, RepeatsCommasAndNestingAreSpellingsOfTheSameLayout) {
  const StageLayout plain = StageLayout::parse("Ett|tt|tt|tt|ttL", 10, 0, 5, 1);
  for (const char* text : {"E,t,t|t*2|tt|tt|tt,L", "Ett|(tt|)*3ttL", "Ett(|tt)*3|ttL", "(E)*1(t(t)*1(|t*2)*1)*1|((tt|))*2,,ttL"})
    EXPECT_EQ(StageLayout::parse(text, 10, 0, 5, 1), plain) << text;
  EXPECT_TRUE(plain.even());
  EXPECT_EQ(StageLayout::parse("Ett|*2ttL", 4, 0, 3, 1).chunk(1, 0).num_layers, 0);   // a chunk may be empty
}

TEST(StageLayout, TextRoundTripsForRandomLayouts) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t pp = static_cast<std::int64_t>(random() % 6) + 1, vpp = static_cast<std::int64_t>(random() % 3) + 1;
    std::string text = "E";
    std::int64_t layers = 0, mtp = 0;
    for (std::int64_t c = 0; c < pp * vpp; ++c) {
      const std::int64_t n = static_cast<std::int64_t>(random() % 4);
      text += std::string(c ? "|" : "") + std::string(static_cast<std::size_t>(n), 't');
      layers += n;
    }
    for (mtp = static_cast<std::int64_t>(random() % 5); std::count(text.begin(), text.end(), 'm') < mtp;) text += 'm';
    const StageLayout layout = StageLayout::parse(text + "L", layers, mtp, pp, vpp);
    EXPECT_EQ(StageLayout::parse(layout.text(), layers, mtp, pp, vpp), layout) << text << "L became " << layout.text();
  }
}

TEST(StageLayout, RefusesCountsThatDoNotAddUpToTheModel) {
  EXPECT_EQ(parse_error("Et|ttL"), "pipeline layout \"Et|ttL\": it has 3 layers (t), the model has 4");
  EXPECT_EQ(parse_error("Ett|t|tL"), "pipeline layout \"Ett|t|tL\": it has 3 chunks, needed are pp * vpp = 2 * 1 = 2");
  EXPECT_EQ(parse_error("Ett|ttmL"), "pipeline layout \"Ett|ttmL\": it has 1 MTP blocks (m), the model has 0");
}

TEST(StageLayout, RefusesPartsInTheWrongPlace) {
  EXPECT_EQ(parse_error("tt|ttL"), "pipeline layout \"tt|ttL\": the embedding \"E\" is missing in the first chunk");
  EXPECT_EQ(parse_error("|EttttL"), "pipeline layout \"|EttttL\": the embedding \"E\" must be in the first chunk, and only there");
  EXPECT_EQ(parse_error("Ett|tt"), "pipeline layout \"Ett|tt\": the loss \"L\" is missing in the last chunk");
  EXPECT_EQ(parse_error("EttttL|"), "pipeline layout \"EttttL|\": the loss \"L\" must be in the last chunk, and only there");
  EXPECT_EQ(parse_error("tEt|ttL"), "pipeline layout \"tEt|ttL\": \"E\" comes after \"t\", the order is E, t, m, L");
  EXPECT_EQ(parse_error("Ett|mttL"), "pipeline layout \"Ett|mttL\": \"t\" comes after \"m\", the order is E, t, m, L");
  EXPECT_EQ(parse_error("EEtt|ttL"), "pipeline layout \"EEtt|ttL\": \"E\" stands there twice");
  EXPECT_EQ(parse_error("Ett|ttLL"), "pipeline layout \"Ett|ttLL\": \"L\" stands there twice");
  EXPECT_EQ(parse_error(""), "pipeline layout \"\": the embedding \"E\" is missing in the first chunk");
}

TEST(StageLayout, RefusesMalformedTexts) {
  EXPECT_EQ(parse_error("Ex"), "pipeline layout \"Ex\": found \"x\", allowed are E (embedding), t (layer), m (MTP), L (loss), |, (, ), * and commas");
  EXPECT_EQ(parse_error("E(tt|ttL"), "pipeline layout \"E(tt|ttL\": unmatched \"(\"");
  EXPECT_EQ(parse_error("Ett)|ttL"), "pipeline layout \"Ett)|ttL\": unmatched \")\"");
  EXPECT_EQ(parse_error("Et*|ttL"), "pipeline layout \"Et*|ttL\": \"*\" needs a number after it");
  EXPECT_EQ(parse_error("Et*0|ttL"), "pipeline layout \"Et*0|ttL\": a part cannot be repeated 0 times");
  EXPECT_EQ(parse_error("Et*99999999999999999999|L"), "pipeline layout \"Et*99999999999999999999|L\": more than 65536 parts");
  EXPECT_EQ(parse_error("E" + std::string(100, '(')),
            "pipeline layout \"E" + std::string(76, '(') + "...\": parentheses are nested more than 16 deep");
  EXPECT_EQ(parse_error("E((((t*9)*9)*9)*9)*99|L"), "pipeline layout \"E((((t*9)*9)*9)*9)*99|L\": more than 65536 parts");
}

}  // namespace
}  // namespace moesim
