#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/profile.h"
#include "hw/stack.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

std::string table(const std::vector<ProfileNumber>& numbers) {
  std::string out;
  for (const ProfileNumber& n : numbers) out += n.path + " = " + n.value + " (" + std::string(name(n.grade)) + ")\n";
  return out;
}

std::string text(const std::filesystem::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

void expect_known_origin(const std::vector<ProfileNumber>& numbers) {
  EXPECT_FALSE(numbers.empty());
  for (const ProfileNumber& n : numbers) {
    EXPECT_FALSE(n.source.empty()) << n.path;
    EXPECT_NE(n.grade, Grade::user) << n.path;
  }
}

TEST(ShippedProfiles, AreTheseMachines) {
  EXPECT_THAT(hw_profile_names(kData),
              ::testing::ElementsAre("alps-gh200", "aws-p5-h100", "b200-simumax", "dgx-a100", "dgx-b200", "dgx-b300", "dgx-h100", "dgx-h200",
                                     "gb200-nvl72", "gb300-nvl72", "h20", "h800-deepseek", "jupiter-gh200", "rtx-pro-6000"));
}

class ShippedProfile : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedProfile, LoadsUnderItsNameWithASourceForEveryNumberAndNothingOdd) {
  const HwProfile p = load_hw_profile(GetParam(), kData);
  EXPECT_EQ(p.name, GetParam());
  EXPECT_FALSE(p.description.empty());
  EXPECT_THAT(p.warnings, ::testing::IsEmpty());
  expect_known_origin(p.numbers);
}

TEST_P(ShippedProfile, NeverSustainsMoreThanABurst) {
  const HwProfile p = load_hw_profile(GetParam(), kData);
  for (const auto& [type, burst] : p.compute.gemm.burst) EXPECT_LE(p.compute.gemm.sustained.at(type).value, burst.value) << name(type);
}

TEST_P(ShippedProfile, IsLikeNoOtherProfile) {
  const std::string own = table(load_hw_profile(GetParam(), kData, Curves::left).numbers);
  for (const std::string& other : hw_profile_names(kData)) {
    if (other == GetParam()) continue;
    EXPECT_NE(own, table(load_hw_profile(other, kData, Curves::left).numbers)) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedProfile, ::testing::ValuesIn(hw_profile_names(kData)), [](const auto& instance) {
  std::string out = instance.param;
  for (char& c : out) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
});

TEST(ShippedProfiles, AlpsReadsAsWritten) {
  const std::string actual = table(load_hw_profile("alps-gh200", kData).numbers);
  EXPECT_EQ(actual, text(kData / "tests/golden/hw/alps-gh200.txt")) << "If the change is meant, this is the new golden file:\n" << actual;
}

TEST(ShippedProfiles, AlpsIsAMeshWhosePairsShareTheLinksOfAGpu) {
  const HwProfile p = load_hw_profile("alps-gh200", kData);
  EXPECT_EQ(p.scale_up.kind, ScaleUpKind::mesh);
  EXPECT_EQ(p.scale_up.domain, 4);
  // 18 links over 3 peers: 450 / 3 = 150 GB/s.
  EXPECT_DOUBLE_EQ(p.scale_up.per_gpu.value.count(), 450e9);
  EXPECT_DOUBLE_EQ(p.scale_up.per_pair.value.count(), 150e9);
  EXPECT_FALSE(p.scale_up.nvls_efficiency.has_value());
  // 200 Gb/s = 25 GB/s.
  EXPECT_DOUBLE_EQ(p.scale_out.per_gpu.value.count(), 25e9);
  EXPECT_EQ(p.gpu.memory.value, Bytes{96LL << 30});
  EXPECT_EQ(p.scale_out.levels.front().gpus, 16);
  EXPECT_EQ(p.scale_out.levels.back().gpus, 0);
}

TEST(ShippedProfiles, H800TakesTheDieOfH100AndItsOwnLinks) {
  const HwProfile h100 = load_hw_profile("dgx-h100", kData), h800 = load_hw_profile("h800-deepseek", kData);
  EXPECT_EQ(h800.gpu.peak.at(DType::fp8).value, h100.gpu.peak.at(DType::fp8).value);
  EXPECT_DOUBLE_EQ(h800.scale_up.per_gpu.value.count(), 200e9);
  EXPECT_EQ(h800.scale_up.per_gpu.grade, Grade::spec);
}

TEST(ShippedProfiles, AmpereHasNoFp8) { EXPECT_FALSE(load_hw_profile("dgx-a100", kData).gpu.peak.contains(DType::fp8)); }

TEST(ShippedStacks, LoadUnderTheirNamesWithASourceForEveryNumber) {
  const std::vector<std::string> names = stack_names(kData);
  EXPECT_THAT(names, ::testing::ElementsAre("megatron-core-2025.09", "megatron-core-2026.04", "megatron-deepspeed-2023"));
  for (const std::string& n : names) {
    const Stack s = load_stack(n, kData);
    EXPECT_EQ(s.name, n);
    EXPECT_FALSE(s.description.empty());
    expect_known_origin(s.numbers);
  }
}

TEST(ShippedStacks, OlderSoftwareCostsTheHostMoreAndFusesLess) {
  const Stack now = load_stack("megatron-core-2026.04", kData), old = load_stack("megatron-core-2025.09", kData),
              oldest = load_stack("megatron-deepspeed-2023", kData);
  EXPECT_LT(now.host_per_moe_layer.value, old.host_per_moe_layer.value);
  EXPECT_LT(now.host_per_local_expert.value, old.host_per_local_expert.value);
  EXPECT_LT(old.host_per_kernel_forward.value, oldest.host_per_kernel_forward.value);
  EXPECT_TRUE(now.permute_fusion && now.router_fusion && now.fused_attention);
  EXPECT_FALSE(old.permute_fusion || old.router_fusion);
  EXPECT_FALSE(oldest.fused_attention);
}

}  // namespace
}  // namespace moesim
