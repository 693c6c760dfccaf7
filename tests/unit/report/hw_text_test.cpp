#include "report/hw_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace moesim {
namespace {

using testing::HasSubstr;

std::string shown(const std::string& text) { return hw_text(load_hw_profile(Document::parse(text, "mine.json"), MOESIM_SOURCE_DIR), 200); }

TEST(HwText, ShowsTheLevelsOfTheNetworkAndWhatItsUplinksLeave) {
  const std::string alps = hw_text(load_hw_profile("alps-gh200", MOESIM_SOURCE_DIR), 200);
  EXPECT_THAT(alps, HasSubstr("  scale-up domain     4      none   600 ns\n  switch             16         1  4.33 us\n"));
  EXPECT_THAT(alps, HasSubstr("dragonfly; 32 switches of 4 nodes a group. 512 GPUs share 341 uplinks of 25.0 GB/s (taper 1.50, assumed), filled evenly by adaptive routing: 16.7 GB/s each when all send."));
  EXPECT_THAT(shown(R"({"extends": "dgx-h100", "name": "mine", "scale_out": {"topology": {"taper": 2}}})"), HasSubstr("256 GPUs share 128 uplinks of 50.0 GB/s (taper 2.00, user)"));
  EXPECT_THAT(shown(R"({"extends": "dgx-h100", "name": "mine", "scale_out": {"topology": {"routing": "ecmp", "flows_per_gpu": 1}}})"), HasSubstr("filled by hash (ECMP): 14.5 GB/s each when all send."));
}

}  // namespace
}  // namespace moesim
