#include "collective/ports.h"

#include <gtest/gtest.h>

#include "support/profiles.h"

namespace moesim {
namespace {

TEST(Capacity, IsTheProfilesPeakOfOneDirection) {
  const HwProfile hw = test::alps();
  EXPECT_EQ(capacity(hw, Port::scale_up_out), 450'000'000'000);
  EXPECT_EQ(capacity(hw, Port::scale_up_in), 450'000'000'000);
  EXPECT_EQ(capacity(hw, Port::scale_out_out), 25'000'000'000);
  EXPECT_EQ(capacity(hw, Port::scale_out_in), 25'000'000'000);
}

TEST(ShareOf, RoundsUpAndDoesNotOverflow) {
  EXPECT_EQ(share_of(10, 1, 3), 4);
  EXPECT_EQ(share_of(9, 1, 3), 3);
  EXPECT_EQ(share_of(0, 7, 8), 0);
  // (2^50)(2^17 - 1) / 2^17 = 2^50 - 2^33
  EXPECT_EQ(share_of(std::int64_t{1} << 50, (1 << 17) - 1, 1 << 17), (std::int64_t{1} << 50) - (std::int64_t{1} << 33));
}

TEST(DomainRate, OnAMeshIsTheLinksToTheOtherMembers) {
  const HwProfile mesh = test::alps(), node = test::dgx_h100();
  EXPECT_DOUBLE_EQ(domain_rate(mesh, 2), 150e9);
  EXPECT_DOUBLE_EQ(domain_rate(mesh, 3), 300e9);
  EXPECT_DOUBLE_EQ(domain_rate(mesh, 4), 450e9);
  EXPECT_DOUBLE_EQ(domain_rate(node, 2), 450e9);
  EXPECT_DOUBLE_EQ(domain_rate(node, 8), 450e9);
}

TEST(ToTransfer, AMemberEndsWhenItHasReceivedAndTheSlowestSenderHasSent) {
  std::vector<PortLoad> loads(3);
  loads[0] = {{}, 1e-6, 5e-6};
  loads[1] = {{}, 2e-6, 1e-6};
  loads[2] = {{}, 1e-6, 1e-6};
  const Transfer t = to_transfer(7 * kMicrosecond, loads, 0.5, {}, test::dgx_h100());   // share 0.5 doubles every time
  EXPECT_EQ(t.latency, 7 * kMicrosecond);
  EXPECT_EQ(t.span, 10 * kMicrosecond);
  EXPECT_EQ(t.members[0].done, 10 * kMicrosecond);
  EXPECT_EQ(t.members[1].done, 4 * kMicrosecond);
  EXPECT_EQ(t.members[2].done, 4 * kMicrosecond);
}

TEST(ToTransfer, IsNeverFasterThanThePorts) {
  std::vector<Transfer::Member> members(1);
  members[0].bytes[static_cast<std::size_t>(Port::scale_out_in)] = 50'000'000;   // 50 MB at 50 GB/s: 1 ms
  EXPECT_EQ(to_transfer(Time{0}, 1e-9, members, {}, test::dgx_h100()).span, kMillisecond);
}

TEST(ToTransfer, TakesOfAPortWhatItsBytesCostThere) {
  // Traffic that reaches half of one port and a quarter of the other.
  std::vector<Transfer::Member> members(1);
  members[0].bytes = {1000, 2000, 3000, 4000};
  const Transfer t = to_transfer(Time{0}, 1, members, {0.5, 0.25}, test::dgx_h100());
  EXPECT_EQ(t.members[0].bytes, (std::array<std::int64_t, kPorts>{1000, 2000, 3000, 4000}));
  const std::array<std::int64_t, kPorts> taken{2000, 4000, 12000, 16000};
  for (std::size_t port = 0; port < kPorts; ++port) EXPECT_EQ(t.load(t.members[0], port), taken[port]);
}

TEST(ToTransfer, IsNeverFasterThanItsKindOfTraffic) {
  std::vector<Transfer::Member> members(1);
  members[0].bytes[static_cast<std::size_t>(Port::scale_out_in)] = 50'000'000;   // 50 MB at a quarter of 50 GB/s: 4 ms
  EXPECT_EQ(to_transfer(Time{0}, 1e-9, members, {1, 0.25}, test::dgx_h100()).span, 4 * kMillisecond);
}

TEST(PeakRates, HoldToThePicosecond) {
  const PeakRates peak(test::dgx_h100());
  const auto earliest = [&](Time done, std::int64_t bytes) {
    return peak.not_before(done, {{0, 0, 0, bytes}, {}});   // 50 GB/s: 20 ps a byte
  };
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{123'456'789}, std::int64_t{5'000'000'000'007}}) {
    const Time least{20 * bytes};
    EXPECT_EQ(earliest(least - kPicosecond, bytes), least);
    EXPECT_EQ(earliest(least, bytes), least);
    EXPECT_EQ(earliest(least + kPicosecond, bytes), least + kPicosecond);
  }
}

TEST(Reverse, SwapsTheDirections) {
  std::vector<PortLoad> loads{{{1, 2, 3, 4}, 5, 6}};
  reverse(loads);
  EXPECT_EQ(loads[0].bytes, (std::array<std::int64_t, kPorts>{2, 1, 4, 3}));
  EXPECT_DOUBLE_EQ(loads[0].out_seconds, 6);
  EXPECT_DOUBLE_EQ(loads[0].in_seconds, 5);
  EXPECT_DOUBLE_EQ(slowest(loads), 6);
}

}  // namespace
}  // namespace moesim
