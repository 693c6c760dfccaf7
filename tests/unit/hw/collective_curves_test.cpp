#include "hw/collective_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "hw/profile.h"

namespace moesim {
namespace {

const std::string kFile = R"({
  "sources": ["a test"], "per_gpu": "100 GB/s", "domain": 8, "bytes": [1024, 2048, 4096],
  "curves": [
    { "op": "all_gather", "gpus": 2, "known": "measured", "timed": [1024, 4096], "off": [4096], "ns": [1000, 1000, 4000], "picks": [{ "from": 1024, "algorithm": "ring", "protocol": "LL" }, { "from": 4096, "algorithm": "ring", "protocol": "Simple" }] },
    { "op": "all_gather", "gpus": 8, "known": "measured", "timed": [1024], "off": [], "ns": [4000, 4000, 16000], "picks": [] },
    { "op": "all_reduce", "gpus": 8, "known": "extrapolated", "timed": [], "off": [], "ns": [4000, 5000, 6000], "picks": [] } ] })";

CollectiveCurves read(const std::string& text) { return read_collective_curves(Document::parse(text, "curves.json")); }

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  try {
    (void)read(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

double us(const CollectiveCurves& c, double bytes, std::int64_t gpus = 2, double rate = 100e9) { return c.time("all_gather", gpus, bytes, rate)->seconds * 1e6; }

TEST(CollectiveCurves, AreStraightInLogarithmsBetweenSizesAndGpus) {
  const CollectiveCurves c = read(kFile);
  EXPECT_DOUBLE_EQ(us(c, 1024), 1);
  EXPECT_DOUBLE_EQ(us(c, 1), 1) << "flat below";
  EXPECT_NEAR(us(c, std::sqrt(2048.0 * 4096)), 2, 1e-12);      // from 1 to 4 us
  EXPECT_NEAR(us(c, 4096, 4), 8, 1e-12);                       // half way in logarithms from 2 GPUs (4 us) to 8 (16 us)
  EXPECT_NEAR(us(c, 8192), 4 + 4096 * 3.0 / 2048, 1e-12);      // on at the rate of the last octave: 3 us for 2048 bytes
}

TEST(CollectiveCurves, TwiceTheBandwidthCarriesTwiceTheBytesInTheSameTime) {
  const CollectiveCurves c = read(kFile);
  for (const double bytes : {900.0, 3000.0, 4096.0, 20000.0}) EXPECT_DOUBLE_EQ(us(c, 2 * bytes, 2, 200e9), us(c, bytes));
}

TEST(CollectiveCurves, SayHowATimeIsKnown) {
  const CollectiveCurves c = read(kFile);
  using Known = CollectiveCurve::Known;
  const auto at = [&](double bytes, std::int64_t gpus) { return *c.time("all_gather", gpus, bytes, 100e9); };
  EXPECT_TRUE(at(1024, 2).timed);
  EXPECT_FALSE(at(4096, 2).timed) << "timed, but the curve is off";
  EXPECT_TRUE(at(4096, 2).inside);
  EXPECT_FALSE(at(2048, 2).timed);
  EXPECT_TRUE(at(2048, 2).inside);
  EXPECT_FALSE(at(2048, 8).inside) << "timed at 1024 only";
  EXPECT_EQ(at(1024, 2).known, Known::measured);
  EXPECT_EQ(at(1024, 5).known, Known::interpolated);
  EXPECT_EQ(c.time("all_reduce", 8, 1024, 100e9)->known, Known::extrapolated);
  EXPECT_EQ(at(1024, 2).pick->protocol, "LL");
  EXPECT_EQ(at(4096, 2).pick->protocol, "Simple");
  EXPECT_EQ(at(4096, 8).pick, nullptr);
  EXPECT_FALSE(c.time("all_gather", 16, 1024, 100e9));
  EXPECT_FALSE(c.time("all_reduce", 4, 1024, 100e9));
  EXPECT_FALSE(c.time("broadcast", 8, 1024, 100e9));
}

TEST(CollectiveCurves, RefuseWhatIsNoCurve) {
  EXPECT_EQ(error_of(kFile, "[1000, 1000, 4000]", "[1000, 999, 4000]"), "curves.json: curves.0.ns: found a time that falls with bytes");
  EXPECT_EQ(error_of(kFile, "[1000, 1000, 4000]", "[1000, 4000]"), "curves.json: curves.0.ns: found 2 times of 3 sizes");
  EXPECT_EQ(error_of(kFile, "[1024, 2048, 4096]", "[1024, 1024, 4096]"), "curves.json: bytes: allowed is a list of 2 and more ascending sizes");
  EXPECT_EQ(error_of(kFile, "\"gpus\": 8", "\"gpus\": 2"), "curves.json: curves: allowed are curves by operation, then GPUs, each once");
  EXPECT_EQ(error_of(kFile, "\"LL\"", "\"LL64\""), "curves.json: curves.0.picks.0.protocol: found \"LL64\", allowed is one of LL, LL128, Simple");
}

HwProfile profile(const std::string& text) { return load_hw_profile(Document::parse(text, "mine.json"), MOESIM_SOURCE_DIR); }

TEST(CollectiveCurves, AProfileKeepsThoseOfItsBaseUnlessItsLinksAreOthers) {
  EXPECT_TRUE(profile(R"({"extends": "dgx-h100", "name": "mine"})").scale_up.curves);
  EXPECT_TRUE(profile(R"({"extends": "dgx-h100", "name": "mine", "scale_up": {"per_gpu": "500 GB/s"}})").scale_up.curves);
  EXPECT_FALSE(profile(R"({"extends": "dgx-h100", "name": "mine", "scale_up": {"per_gpu": "500 GB/s"}})").scale_up.timed_on);
  const HwProfile changed = profile(R"({"extends": "dgx-h100", "name": "mine", "scale_up": {"ring_efficiency": 0.8}})");
  ASSERT_TRUE(changed.scale_up.curves && changed.scale_up.timed_on);
  EXPECT_EQ(changed.scale_up.timed_on->scale_up.ring_efficiency.value, profile(R"({"extends": "dgx-h100", "name": "mine"})").scale_up.ring_efficiency.value);
  EXPECT_FALSE(profile(R"({"extends": "dgx-h100", "name": "mine", "gpu": {"name": "H100 of another kind"}, "scale_up": {"ring_efficiency": 0.8}})").scale_up.curves);
  EXPECT_FALSE(profile(R"({"extends": "dgx-h100", "name": "mine"})").scale_out.curves);
  const HwProfile p5 = load_hw_profile("aws-p5-h100", MOESIM_SOURCE_DIR);
  EXPECT_TRUE(p5.scale_up.curves && p5.scale_out.curves);
  for (const char* own_numbers : {"h800-deepseek", "h20", "jupiter-gh200"}) EXPECT_FALSE(load_hw_profile(own_numbers, MOESIM_SOURCE_DIR).scale_up.curves) << own_numbers;
}

TEST(CollectiveCurves, OfAnUnknownNameAreRefusedWithTheNearest) {
  try {
    (void)profile(R"({"extends": "dgx-h100", "name": "mine", "scale_up": {"curves": "h100sxm"}})");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), "mine.json: scale_up.curves: found \"h100sxm\", allowed is a file of curves of collectives in " MOESIM_SOURCE_DIR "/hw_profiles/measured/collectives or a path to a JSON file; did you mean \"h100_sxm\"?");
  }
}

TEST(CollectiveCurves, EveryShippedFileIsReadAndNamesItsLicence) {
  int files = 0;
  for (const auto& e : std::filesystem::recursive_directory_iterator(MOESIM_SOURCE_DIR "/hw_profiles/measured/collectives")) {
    if (!e.is_regular_file()) continue;
    const CollectiveCurves c = read_collective_curves(Document::load(e.path()));
    ++files;
    ASSERT_EQ(c.sources.size(), 1u);
    EXPECT_TRUE(c.sources[0].find("Apache-2.0") != std::string::npos || c.sources[0].find("CC") != std::string::npos) << c.sources[0];
  }
  EXPECT_EQ(files, 14);
}

}  // namespace
}  // namespace moesim
