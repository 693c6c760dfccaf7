#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "hw/profile.h"
#include "hw/stack.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

HwProfile read(const std::string& text) { return load_hw_profile(Document::parse(text, "mine.json"), kData); }

std::string error(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// A profile that says only `member` beside what it extends.
std::string extending(const std::string& member) { return R"({"extends": "dgx-h100", )" + member + "}"; }

TEST(ExtendingProfile, KeepsWhatItDoesNotSay) {
  const HwProfile base = load_hw_profile("dgx-h100", kData), p = read(extending(R"("name": "mine")"));
  EXPECT_EQ(p.name, "mine");
  EXPECT_EQ(p.gpu.memory.value, base.gpu.memory.value);
  EXPECT_EQ(p.gpu.memory.source, base.gpu.memory.source);
  EXPECT_EQ(p.numbers.size(), base.numbers.size());
  EXPECT_THAT(p.warnings, ::testing::IsEmpty());
}

std::vector<std::int64_t> level_sizes(const std::string& text) {
  std::vector<std::int64_t> out;
  for (const FabricLevel& l : read(text).scale_out.levels) out.push_back(l.gpus);
  return out;
}

TEST(ExtendingProfile, ALevelHoldsWholeDomainsAndWholePlacesOfTheLevelBefore) {
  using ::testing::ElementsAre;
  EXPECT_THAT(level_sizes(R"({"extends": "gb200-nvl72", "scale_up": {"domain": 64}, "scale_out": {"levels": {"0": {"gpus": 288}}}})"), ElementsAre(256, 0));
  EXPECT_THAT(level_sizes(extending(R"("gpus_per_node": 6, "scale_up": {"domain": 6})")), ElementsAre(252, 0));
  EXPECT_THAT(level_sizes(extending(R"("scale_out": {"levels": [{"name": "a", "gpus": 256, "latency": "1 us"}, {"name": "b", "gpus": 300, "latency": "2 us"},
                                                               {"name": "c", "gpus": 600, "latency": "2 us"}, {"name": "d", "latency": "3 us"}]})")),
              ElementsAre(256, 256, 512, 0));
  EXPECT_EQ(error(extending(R"("scale_out": {"levels": {"0": {"gpus": 4}}})")),
            "mine.json: scale_out.levels.0.gpus: found 4, allowed is scale_up.domain, 8, or more");
}

TEST(ExtendingProfile, WithoutANameIsCalledAfterItsFile) { EXPECT_EQ(read(R"({"extends": "dgx-h100"})").name, "mine"); }

TEST(ExtendingProfile, ABareValueIsTheUsers) {
  const HwProfile p = read(extending(R"("scale_up": {"per_gpu": "200 GB/s", "per_pair": "200 GB/s"})"));
  EXPECT_DOUBLE_EQ(p.scale_up.per_gpu.value.count(), 200e9);
  EXPECT_EQ(p.scale_up.per_gpu.grade, Grade::user);
  EXPECT_EQ(p.scale_up.per_gpu.source, "mine.json");
  EXPECT_EQ(p.scale_up.pair_efficiency.grade, Grade::measured);
}

TEST(ExtendingProfile, AValueWithoutGradeDoesNotInheritTheGradeOfTheBase) {
  const HwProfile p = read(extending(R"("gpu": {"usable_memory": {"value": 0.9, "source": "PCIe variant"}})"));
  EXPECT_EQ(p.gpu.usable_memory.value, 0.9);
  EXPECT_EQ(p.gpu.usable_memory.grade, Grade::user);
  EXPECT_EQ(p.gpu.usable_memory.source, "PCIe variant");
}

TEST(ExtendingProfile, NullTakesAnOptionalNumberAway) {
  EXPECT_TRUE(load_hw_profile("dgx-h100", kData).scale_up.nvls_efficiency.has_value());
  EXPECT_FALSE(read(extending(R"("scale_up": {"nvls_efficiency": null})")).scale_up.nvls_efficiency.has_value());
}

TEST(ExtendingProfile, RemarksAreNotRead) {
  EXPECT_EQ(read(extending(R"("_why": "a test", "gpu": {"usable_memory": {"value": 0.9, "_remark": 1}})")).gpu.usable_memory.value, 0.9);
}

// All links of a GPU reach any other through a switch; a mesh shares them out over the peers.
TEST(ExtendingProfile, ThePairFollowsTheGpuUnlessItIsGiven) {
  const auto pair = [](const std::string& base, const std::string& member) {
    return read(R"({"extends": ")" + base + R"(", "scale_up": {)" + member + "}}").scale_up.per_pair;
  };
  EXPECT_DOUBLE_EQ(pair("dgx-h100", R"("per_gpu": "225 GB/s")").value.count(), 225e9);
  EXPECT_DOUBLE_EQ(pair("alps-gh200", R"("per_gpu": "225 GB/s")").value.count(), 75e9);
  EXPECT_DOUBLE_EQ(pair("alps-gh200", R"("domain": 2)").value.count(), 450e9);
  EXPECT_DOUBLE_EQ(pair("alps-gh200", R"("domain": 1)").value.count(), 450e9);
  EXPECT_DOUBLE_EQ(pair("dgx-h100", R"("per_pair": "100 GB/s")").value.count(), 100e9);
  EXPECT_EQ(pair("dgx-h100", R"("per_gpu": "225 GB/s")").grade, Grade::derived);
  EXPECT_EQ(pair("alps-gh200", R"("name": null)").source, "a mesh shares the links over 3 peers: per_gpu / 3");
}

// A user changes one number at a time, to see what it is worth.
TEST(ExtendingProfile, EveryNumberMayBeHalvedAloneOrDoubledAlone) {
  for (const std::string& base : hw_profile_names(kData))
    for (const ProfileNumber& n : load_hw_profile(base, kData).numbers) {
      if (n.path == "gpu.sms") continue;   // not alone: with its rates, below
      char* unit = nullptr;
      const double value = std::strtod(n.value.c_str(), &unit);
      std::string errors;
      std::size_t accepted = 0;
      for (const double factor : {0.5, 2.0}) {
        std::ostringstream text;
        text << value * factor;
        const std::string assigned = *unit ? "\"" + text.str() + unit + "\"" : text.str();
        try {
          load_hw_profile(Document::parse(R"({"extends": ")" + base + "\"}", "mine.json").with(n.path + "=" + assigned), kData, Curves::left);
          ++accepted;
        } catch (const InputError& e) { errors += std::string(e.what()) + "; "; }
      }
      EXPECT_GE(accepted, 1u) << base << ": " << errors;
    }
}

TEST(ExtendingProfile, OtherSmsComeWithTheirOwnRates) {
  EXPECT_EQ(error(extending(R"("gpu": {"sms": 114})")),
            "mine.json: gpu.sms: found 114, allowed is 132: the rates of dgx-h100 are those of all its SMs; a GPU with others gives its own gpu.peak.fp32, gpu.peak.bf16, gpu.peak.fp8");
  EXPECT_EQ(read(extending(R"("gpu": {"sms": 114, "peak": {"fp32": "51 TFLOP/s", "bf16": "756 TFLOP/s", "fp8": "1513 TFLOP/s"}})")).gpu.sms.value, 114);
  EXPECT_EQ(read(extending(R"("gpu": {"sms": 132})")).gpu.sms.value, 132);
}

TEST(ExtendingProfile, OneLevelOfTheFabricMayChangeAlone) {
  const HwProfile base = load_hw_profile("dgx-h100", kData), p = read(extending(R"("scale_out": {"levels": {"0": {"latency": "9 us"}}})"));
  ASSERT_EQ(p.scale_out.levels.size(), base.scale_out.levels.size());
  EXPECT_EQ(p.scale_out.levels[0].latency.value, 9 * kMicrosecond);
  EXPECT_EQ(p.scale_out.levels[0].latency.grade, Grade::user);
  EXPECT_EQ(p.scale_out.levels[0].gpus, base.scale_out.levels[0].gpus);
  EXPECT_EQ(error(extending(R"("scale_out": {"levels": {"7": {"latency": "9 us"}}})")),
            "mine.json: scale_out.levels: found entry 7, but the list has 2 entries, 0 to 1");
}

TEST(ExtendingProfile, ValuesThatNoMachineHasAreRefusedWithWhatIsAllowed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("scale_out": {"per_gpu": "1 B/s"})", "scale_out.per_gpu: found \"1 B/s\", allowed is 1 MB/s to 100 TB/s"},
      {R"("scale_up": {"per_gpu": "1e30 B/s"})", "scale_up.per_gpu: found \"1e30 B/s\", allowed is 1 MB/s to 100 TB/s"},
      {R"("gpu": {"memory_bandwidth": "1 MB/s"})", "gpu.memory_bandwidth: found \"1 MB/s\", allowed is 1 GB/s to 1000 TB/s"},
      {R"("gpu": {"memory": "1 B"})", "gpu.memory: found \"1 B\", allowed is 1 MiB to 512 TiB"},
      {R"("gpu": {"memory": "8 EB"})", "gpu.memory: found \"8 EB\", allowed is a size in bytes such as \"80 GB\"; did you mean \"B\"?"},
      {R"("gpu": {"peak": {"bf16": "1e30 FLOP/s"}})", "gpu.peak.bf16: found \"1e30 FLOP/s\", allowed is 1 GFLOP/s to 1000 PFLOP/s"},
      {R"("gpu": {"peak": {"bf16": "1 FLOP/s"}})", "gpu.peak.bf16: found \"1 FLOP/s\", allowed is 1 GFLOP/s to 1000 PFLOP/s"},
      {R"("scale_out": {"base_latency": "2000 h"})", "scale_out.base_latency: found \"2000 h\", allowed is 0 s to 100 ms"},
      {R"("scale_out": {"levels": {"0": {"latency": "1 s"}}})", "scale_out.levels.0.latency: found \"1 s\", allowed is 0 s to 100 ms"},
      {R"("scale_up": {"domain": 1000000000})", "scale_up.domain: found 1000000000, allowed is an integer from 1 to 1048576"},
      {R"("compute": {"permute": 1e-300})", "compute.permute: found 1e-300, allowed is a number from 0.001 to 1"},
      {R"("gpus_per_node": 0)", "gpus_per_node: found 0, allowed is an integer from 1 to 1048576"},
  };
  for (const auto& [member, text] : cases) EXPECT_EQ(error(extending(member)), "mine.json: " + text);
}

TEST(ExtendingProfile, BitsForBytesOnNvlinkIsAWarningThatSaysSo) {
  // 450 Gb/s = 56.25 GB/s, less than 450 / 4 = 112.5 GB/s.
  const HwProfile p = read(extending(R"("scale_up": {"per_gpu": "450 Gb/s", "per_pair": "50 GB/s"})"));
  ASSERT_EQ(p.warnings.size(), 2u);
  EXPECT_EQ(p.warnings[0],
            "mine.json: scale_up.per_gpu: \"450 Gb/s\" is less than a quarter of the 450 GB/s of dgx-h100; bits or bytes? \"450 GB/s\" "
            "would be eight times as much");
  EXPECT_EQ(p.warnings[1],
            "mine.json: scale_up.per_pair: \"50 GB/s\" is less than a quarter of the 450 GB/s of dgx-h100; bits taken for bytes, or the "
            "other way round?");
}

TEST(ExtendingProfile, AQuarterExactlyIsNoWarning) {
  EXPECT_THAT(read(extending(R"("scale_up": {"per_gpu": "112.5 GB/s", "per_pair": "112.5 GB/s"})")).warnings, ::testing::IsEmpty());
}

TEST(ExtendingProfile, BytesForBitsOnTheNicIsAWarningToo) {
  const HwProfile p = read(extending(R"("scale_out": {"per_gpu": "400 GB/s"})"));
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_EQ(p.warnings[0],
            "mine.json: scale_out.per_gpu: \"400 GB/s\" is more than four times the 50.0 GB/s of dgx-h100; bits or bytes? \"400 Gb/s\" would "
            "be an eighth of it");
}

TEST(ExtendingProfile, ErrorsNameFileAndPath) {
  EXPECT_EQ(error(extending(R"("gpu": {"smss": 4})")), "mine.json: gpu.smss: unknown key; did you mean \"sms\"?");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": {"value": 4, "grad": "spec"}})")),
            "mine.json: gpu.sms.grad: unknown key; did you mean \"grade\"?");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": {"value": 4, "grade": "guess"}})")),
            "mine.json: gpu.sms.grade: found \"guess\", allowed is measured, spec, derived, assumed, recalled or user");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": {"value": 4, "grade": "spec"}})")), "mine.json: gpu.sms.source: missing");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": {"value": 4, "grade": "spec", "source": ""}})")),
            "mine.json: gpu.sms.source: found \"\", allowed is a text that says where the value comes from");
  EXPECT_EQ(error(extending(R"("compute": {"memory_bound": 0})")), "mine.json: compute.memory_bound: found 0, allowed is a number from 0.001 to 1");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": 0})")), "mine.json: gpu.sms: found 0, allowed is an integer from 1 to 100000");
  EXPECT_EQ(error(extending(R"("scale_up": {"kind": "nvswich"})")),
            "mine.json: scale_up.kind: found \"nvswich\", allowed is one of none, mesh, nvswitch; did you mean \"nvswitch\"?");
}

TEST(ExtendingProfile, QuantitiesNeedAUnitAndMustBePositive) {
  EXPECT_THAT(error(extending(R"("scale_up": {"per_gpu": 450})")), ::testing::StartsWith("mine.json: scale_up.per_gpu: found 450, allowed is "));
  EXPECT_THAT(error(extending(R"("gpu": {"memory": "80 Gb"})")), ::testing::StartsWith("mine.json: gpu.memory: "));
  EXPECT_THAT(error(extending(R"("scale_up": {"per_gpu": "0 GB/s"})")), ::testing::StartsWith("mine.json: scale_up.per_gpu: "));
  EXPECT_THAT(error(extending(R"("scale_up": {"per_gpu": "-450 GB/s"})")), ::testing::StartsWith("mine.json: scale_up.per_gpu: "));
}

TEST(ExtendingProfile, NumbersThatContradictEachOtherAreAnError) {
  EXPECT_EQ(error(extending(R"("scale_up": {"per_gpu": "200 GB/s", "per_pair": "300 GB/s"})")),
            "mine.json: scale_up.per_pair: found 300 GB/s, allowed is at most scale_up.per_gpu, 200 GB/s; null lets it follow per_gpu");
  EXPECT_EQ(error(extending(R"("scale_up": {"domain": 12})")),
            "mine.json: scale_up.domain: found 12, allowed is a multiple or a divisor of gpus_per_node, 8");
  EXPECT_EQ(error(extending(R"("gpu": {"peak": {"fp4": "4 PFLOP/s"}})")), "mine.json: compute.gemm.burst.fp4: missing, since gpu.peak.fp4 is given");
  EXPECT_EQ(error(extending(R"("scale_out": {"levels": []})")), "mine.json: scale_out.levels: found none, allowed is one or more");
  EXPECT_EQ(error(extending(R"("scale_out": {"levels": [{"name": "leaf", "gpus": 64, "latency": "2 us"}]})")),
            "mine.json: scale_out.levels.0.gpus: the last level joins all GPUs and has no size");
  EXPECT_EQ(error(extending(R"("scale_out": {"levels": [{"name": "leaf", "latency": "2 us"}, {"name": "far", "latency": "4 us"}]})")),
            "mine.json: scale_out.levels.0.gpus: missing");
}

TEST(ExtendingProfile, AnUnknownBaseSuggestsTheNearest) {
  EXPECT_THAT(error(R"({"extends": "dgx-h10"})"), ::testing::AllOf(::testing::StartsWith("mine.json: extends: found \"dgx-h10\", allowed is a hardware profile"),
                                                                  ::testing::EndsWith("did you mean \"dgx-h100\"?")));
}

// A folder of its own for files that extend each other.
class Files : public ::testing::Test {
 protected:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("moesim_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(Files, AChainKeepsTheNearestNumberAndItsFile) {
  const std::string ours = write("ours.json", R"({"extends": "dgx-h100", "gpu": {"speed_spread": 0.03, "usable_memory": 0.9}})");
  const std::string mine = write("mine.json", R"({"extends": "./ours.json", "gpu": {"speed_spread": 0.05}})");
  const HwProfile p = load_hw_profile(mine, kData);
  EXPECT_EQ(p.name, "mine");
  EXPECT_EQ(p.gpu.speed_spread.value, 0.05);
  EXPECT_EQ(p.gpu.speed_spread.source, mine);
  EXPECT_DOUBLE_EQ(p.gpu.usable_memory.value, 0.9);
  EXPECT_EQ(std::filesystem::path(p.gpu.usable_memory.source).lexically_normal(), ours);
}

TEST_F(Files, AWarningOfTheBaseIsKept) {
  write("ours.json", R"({"extends": "dgx-h100", "scale_up": {"per_gpu": "450 Gb/s", "per_pair": "450 Gb/s"}})");
  EXPECT_EQ(load_hw_profile(write("mine.json", R"({"extends": "ours.json"})"), kData).warnings.size(), 2u);
}

TEST_F(Files, AFaultInTheBaseIsReportedForTheBase) {
  write("ours.json", R"({"extends": "dgx-h100", "gpu": {"sms": 0}})");
  try {
    load_hw_profile(write("mine.json", R"({"extends": "ours.json", "gpu": {"sms": 4}})"), kData);
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("ours.json: gpu.sms: found 0, allowed is an integer from 1 to 100000"));
  }
}

TEST_F(Files, OneThatExtendsItselfIsAnError) {
  const std::string mine = write("mine.json", R"({"extends": "./mine.json"})");
  try {
    load_hw_profile(mine, kData);
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), mine + ": extends: found \"./mine.json\", which closes a circle: " + mine + " -> " + mine);
  }
}

TEST(Profile, AnNvlinkSlowerThanPcieIsAWarningEvenWithoutABase) {
  // The text of dgx-h100 with NVLink in bits.
  std::ostringstream text;
  text << std::ifstream(kData / "hw_profiles/dgx-h100.json").rdbuf();
  std::string slow = text.str();
  for (std::size_t at; (at = slow.find("\"450 GB/s\"")) != std::string::npos;) slow.replace(at, 10, "\"450 Gb/s\"");
  const HwProfile p = read(slow);
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_EQ(p.warnings[0], "mine.json: scale_up.per_gpu: \"450 Gb/s\" is slower than PCIe; bits or bytes? \"450 GB/s\" would be eight times as much");
}

TEST(Profile, AFirstOneOfItsOwnMissesWhatItDoesNotSay) {
  EXPECT_EQ(error("{}"), "mine.json: name: missing");
  EXPECT_EQ(error(R"({"name": "x", "description": "y"})"), "mine.json: gpus_per_node: missing");
}

TEST(Stack, MayExtendAnotherAndChangeAFusion) {
  const auto doc = Document::parse(R"({"extends": "megatron-core-2026.04", "host_sync": "7 us", "permute_fusion": false})", "stack.json");
  const Stack s = load_stack(doc, kData);
  EXPECT_EQ(s.name, "stack");
  EXPECT_EQ(s.host_sync.value, 7 * kMicrosecond);
  EXPECT_EQ(s.host_sync.grade, Grade::user);
  EXPECT_FALSE(s.permute_fusion);
  EXPECT_TRUE(s.router_fusion);
  EXPECT_EQ(s.host_per_step.value, 15 * kMillisecond);
}

TEST(Stack, RefusesATimeWithoutUnit) {
  const auto doc = Document::parse(R"({"extends": "megatron-core-2026.04", "host_sync": 7})", "stack.json");
  EXPECT_THROW(load_stack(doc, kData), InputError);
}

}  // namespace
}  // namespace moesim
