// What cannot be lowered is refused by name, never approximated.
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/block_case.h"
#include "support/block_models.h"

namespace moesim {
namespace {

using namespace test;

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const InputError& e) { return e.what(); }
  return "nothing was refused";
}

TEST(LoweringRules, ContextParallelismIsRefused) {
  Case c(llama_3_70b());
  c.settings.parallel.cp = 2;
  const std::string text = "cp: found 2, allowed is 1: context parallelism is not modelled yet";
  EXPECT_EQ(refusal([&] { check_lowering(c.settings); }), text);
  EXPECT_EQ(refusal([&] { c.lower(); }), text);
}

TEST(LoweringRules, PartsWithoutATimeModelAreNamed) {
  const auto text = [](Part part) {
    const Case c(model_of("m", 4096, 1000, {std::move(part), DenseMlp{16384}}));
    const std::string whole = refusal([&] { check_lowering(c.settings); });
    EXPECT_EQ(refusal([&] { c.lower(); }), whole);
    return whole;
  };
  const std::string end = " is not modelled yet; its parameters and memory are";
  EXPECT_EQ(text(DeltaNet{16, 32, 128, 128, 4}), "layer delta_net+dense: the training time of delta_net" + end);
  EXPECT_EQ(text(Lightning{64, 128}), "layer lightning+dense: the training time of lightning" + end);
  EXPECT_EQ(text(Mamba{8192, 16, 4, 256}), "layer mamba+dense: the training time of mamba" + end);
  EXPECT_EQ(text(Mamba2{64, 64, 8, 128, 4}), "layer mamba2+dense: the training time of mamba2" + end);
  CompressedAttention a;
  a.compress_ratio = 4;
  EXPECT_EQ(text(a), "layer cmqa(ratio 4)+dense: the training time of cmqa(ratio 4)" + end);
}

TEST(LoweringRules, TheLayerOfMultiTokenPredictionIsCheckedToo) {
  Case c(llama_3_70b());
  check_lowering(c.settings);
  c.model.mtp_layers = 1;
  c.model.own_mtp_kind = LayerKind{"mamba2", {Mamba2{64, 64, 8, 128, 4}}, 1};
  EXPECT_EQ(refusal([&] { check_lowering(c.settings); }),
            "layer mamba2: the training time of mamba2 is not modelled yet; its parameters and memory are");
}

}  // namespace
}  // namespace moesim
