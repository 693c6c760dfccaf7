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

TEST(ExtendingProfile, WithoutANameIsCalledAfterItsFile) { EXPECT_EQ(read(R"({"extends": "dgx-h100"})").name, "mine"); }

TEST(ExtendingProfile, ABareValueIsTheUsers) {
  const HwProfile p = read(extending(R"("scale_up": {"per_gpu": "200 GB/s", "per_pair": "200 GB/s"})"));
  EXPECT_DOUBLE_EQ(p.scale_up.per_gpu.value.count(), 200e9);
  EXPECT_EQ(p.scale_up.per_gpu.grade, Grade::user);
  EXPECT_EQ(p.scale_up.per_gpu.source, "mine.json");
  EXPECT_EQ(p.scale_up.pair_efficiency.grade, Grade::measured);
}

TEST(ExtendingProfile, AValueWithoutGradeDoesNotInheritTheGradeOfTheBase) {
  const HwProfile p = read(extending(R"("gpu": {"sms": {"value": 114, "source": "PCIe variant"}})"));
  EXPECT_EQ(p.gpu.sms.value, 114);
  EXPECT_EQ(p.gpu.sms.grade, Grade::user);
  EXPECT_EQ(p.gpu.sms.source, "PCIe variant");
}

TEST(ExtendingProfile, NullTakesAnOptionalNumberAway) {
  EXPECT_TRUE(load_hw_profile("dgx-h100", kData).scale_up.nvls_efficiency.has_value());
  EXPECT_FALSE(read(extending(R"("scale_up": {"nvls_efficiency": null})")).scale_up.nvls_efficiency.has_value());
}

TEST(ExtendingProfile, RemarksAreNotRead) {
  EXPECT_EQ(read(extending(R"("_why": "a test", "gpu": {"sms": {"value": 114, "_remark": 1}})")).gpu.sms.value, 114);
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
  EXPECT_EQ(error(extending(R"("compute": {"memory_bound": 0})")), "mine.json: compute.memory_bound: found 0, allowed is more than 0");
  EXPECT_EQ(error(extending(R"("gpu": {"sms": 0})")), "mine.json: gpu.sms: found 0, allowed is an integer from 1 to 4294967295");
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
  EXPECT_EQ(error(extending(R"("scale_up": {"per_gpu": "200 GB/s"})")),
            "mine.json: scale_up.per_pair: found 450 GB/s, allowed is at most scale_up.per_gpu, 200 GB/s");
  EXPECT_EQ(error(extending(R"("scale_up": {"domain": 12})")),
            "mine.json: scale_up.domain: found 12, allowed is a multiple or a divisor of gpus_per_node, 8");
  EXPECT_EQ(error(extending(R"("gpu": {"peak": {"fp4": "4 PFLOP/s"}})")), "mine.json: compute.gemm.burst.fp4: missing");
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
  const std::string ours = write("ours.json", R"({"extends": "dgx-h100", "gpu": {"sms": 114, "usable_memory": 0.9}})");
  const std::string mine = write("mine.json", R"({"extends": "./ours.json", "gpu": {"sms": 100}})");
  const HwProfile p = load_hw_profile(mine, kData);
  EXPECT_EQ(p.name, "mine");
  EXPECT_EQ(p.gpu.sms.value, 100);
  EXPECT_EQ(p.gpu.sms.source, mine);
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
    EXPECT_THAT(e.what(), ::testing::HasSubstr("ours.json: gpu.sms: found 0, allowed is an integer from 1 to 4294967295"));
  }
}

TEST_F(Files, OneThatExtendsItselfIsAnError) {
  const std::string mine = write("mine.json", R"({"extends": "./mine.json"})");
  try {
    load_hw_profile(mine, kData);
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), mine + ": extends: found a chain of more than 8 profiles; does one extend itself?");
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
