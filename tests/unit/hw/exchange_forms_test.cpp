#include "hw/exchange_forms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moesim {
namespace {

TEST(ExchangeForms, TogetherIsTheNormOfItsOrder) {
  EXPECT_DOUBLE_EQ(together(3, 4, 0), 7);
  EXPECT_DOUBLE_EQ(together(3, 4, 1), 5);
  EXPECT_NEAR(together(3, 4, 2), std::pow(std::pow(3, 4) + std::pow(4, 4), 0.25), 1e-12);
  EXPECT_DOUBLE_EQ(together(4, 3, 1), 5);
  EXPECT_DOUBLE_EQ(together(0, 0, 3), 0);
  EXPECT_DOUBLE_EQ(together(0, 2, 3), 2);
}

TEST(ExchangeForms, TogetherIsNoLessThanTheSlowerAndNoMoreThanTheSum) {
  for (int doublings = 0; doublings <= kMostDoublings; ++doublings)
    for (double a = 0.01; a < 100; a *= 3)
      for (double b = 0.01; b < 100; b *= 3) {
        EXPECT_GE(together(a, b, doublings), std::max(a, b));
        EXPECT_LE(together(a, b, doublings), (a + b) * (1 + 1e-12));
      }
}

TEST(ExchangeForms, LowLatencyKernelsUseNoMoreSmsThanExpertsOrThanThereAre) {
  // 132 SMs: up to 132 experts one SM each, then two experts an SM, then three.
  EXPECT_EQ(low_latency_sms(8, 132), 8);
  EXPECT_EQ(low_latency_sms(128, 132), 128);
  EXPECT_EQ(low_latency_sms(160, 132), 80);
  EXPECT_EQ(low_latency_sms(256, 132), 128);
  EXPECT_EQ(low_latency_sms(384, 132), 128);
  EXPECT_EQ(low_latency_sms(512, 148), 128);
}

TEST(ExchangeForms, NeverFallWithTokensBytesOrCopies) {
  const NormalForm normal{{24, 1e-4, 2e-5, 3, 300, 60, 0.03, 0.02, 330, 0.01, 200}, 2};
  const LowLatencyForm low{{9, 1e-4, 0.015, 3, 1200, 0.1, 150, 0.03, 300}, 1};
  const RackForm rack{{11, 1, 20, 700, 0.05}, 1};
  ExchangeWork w;
  w.bytes = 7392, w.copies = 5.3, w.wire = w.copies * w.bytes, w.sms = 20, w.ranks = 8, w.experts = 256, w.top_k = 8;
  for (w.tokens = 0; w.tokens < 1e6; w.tokens = 2 * w.tokens + 1) {
    ExchangeWork more = w;
    for (const int what : {0, 1, 2}) {
      if (what == 0) more.tokens += 1;
      if (what == 1) more.bytes *= 1.1, more.wire *= 1.1;
      if (what == 2) more.copies *= 1.1, more.wire *= 1.1;
      EXPECT_GE(normal.seconds(more), normal.seconds(w));
      EXPECT_GE(low.seconds(more), low.seconds(w));
      EXPECT_GE(rack.seconds(more), rack.seconds(w));
    }
  }
}

TEST(ExchangeForms, MoreSmsAreFasterUntilTheLinkIsFull) {
  const NormalForm f{{24, 0, 0, 0, 300, 60, 0.03, 0.02, 330, 0, 1}, 3};
  ExchangeWork w;
  w.tokens = 8192, w.bytes = 7392, w.copies = 5.3, w.wire = w.copies * w.bytes;
  const auto time = [&](double sms) { w.sms = sms; return f.seconds(w); };
  EXPECT_NEAR(time(4) / time(8), 2, 0.02);              // by SMs: 300 + 318 + 1007 ns over 4 SMs are far above 119 ns of the link
  EXPECT_LT(time(64) / time(128), 1.01);                // by the link
  EXPECT_GT(time(128), 8192 * 7392 * 5.3 / 330e9);
}

}  // namespace
}  // namespace moesim
