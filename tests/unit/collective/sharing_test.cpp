// Efficiency belongs to links and protocols: however many collectives go through a port, together they get no further than one.
#include <gtest/gtest.h>

#include "collective/collective.h"
#include "support/profiles.h"
#include "unit/collective/together.h"

namespace moesim {
namespace {

using test::ranks;

constexpr CollectiveOp kOps[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
                                 CollectiveOp::send_recv};
std::vector<HwProfile> machines() { return {test::alps(), test::dgx_h100(), test::efa_h100(), test::h800(), test::gb200_nvl72(), test::dgx_a100()}; }

/// And shipped ones, whose times are measured.
std::vector<HwProfile> all_machines() {
  std::vector<HwProfile> out = machines();
  for (const char* name : {"dgx-h100", "dgx-b200", "aws-p5-h100"}) out.push_back(load_hw_profile(name, MOESIM_SOURCE_DIR));
  return out;
}

Transfer transfer(CollectiveOp op, std::int64_t bytes, std::uint32_t n, const HwProfile& hw) {
  return collective(op, Bytes{bytes}, place(ranks(n), hw), hw).transfer;
}

TEST(Sharing, ManyLargeCollectivesThroughOnePortTakeAsLongAsOneAfterTheOther) {
  constexpr std::int64_t kBytes = std::int64_t{1} << 40;   // what messages lose to their start does not show
  for (const HwProfile& hw : all_machines())
    for (const std::uint32_t n : {2u, 4u, 8u, 72u, 144u})
      for (const CollectiveOp op : kOps) {
        if (op == CollectiveOp::send_recv && n != 2) continue;
        if (hw.scale_up.kind == ScaleUpKind::mesh && n == 2) continue;   // a pair's link is a third of the port
        const Transfer one = transfer(op, kBytes, n, hw);
        for (std::size_t count = 1; count <= 4; ++count) {
          const Time all = together(std::vector<Transfer>(count, one), n, hw);
          const double in_turn = seconds(one.latency) + static_cast<double>(count) * seconds(one.span);
          EXPECT_NEAR(seconds(all) / in_turn, 1, 3e-5) << hw.name << " " << name(op) << " of " << n << ", " << count << " at once";
        }
      }
}

TEST(Sharing, NoPortCarriesMoreOfAProtocolThanItsPayload) {
  // Small messages leave room, which others may use, but at most up to the efficient rate.
  for (const HwProfile& hw : machines())
    for (const std::uint32_t n : {4u, 16u})
      for (const CollectiveOp op : kOps)
        for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{100'000}, std::int64_t{10'000'000}}) {
          if (op == CollectiveOp::send_recv) continue;
          const Transfer one = transfer(op, bytes, n, hw);
          const Time all = together(std::vector<Transfer>(4, one), n, hw);
          for (std::size_t port = 0; port < kPorts; ++port) {
            const double most = port < 2 ? hw.scale_up.nvls_efficiency ? 0.8 : std::max(hw.scale_up.ring_efficiency.value, hw.scale_up.all_to_all_efficiency.value)
                                         : std::max(hw.scale_out.ring_efficiency.value, hw.scale_out.all_to_all_efficiency.value);
            const double rate = 4 * static_cast<double>(one.member(0).bytes[port]) / seconds(all);
            EXPECT_LE(rate, most * 1.0001 * static_cast<double>(capacity(hw, static_cast<Port>(port)))) << hw.name << " " << name(op) << " " << bytes;
          }
        }
}

TEST(Sharing, SmallMeasuredCollectivesFitBesideEachOther) {
  // What a measured time is longer than its wire time is waiting: two of 256 KiB end far before twice the time of one.
  const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  const Transfer one = transfer(CollectiveOp::all_reduce, 262144, 8, hw);
  const Time alone = together({one}, 8, hw), both = together({one, one}, 8, hw);
  EXPECT_EQ(alone, one.latency + one.span);
  EXPECT_GE(both, alone);
  EXPECT_LT(seconds(both), 1.5 * seconds(alone));
}

TEST(Sharing, AReduceScatterBesideADispatchTakesBothTheirTimesOnTheNic) {
  // One rank a node: gradients and tokens leave by the same NICs, each filling them at its own efficiency.
  for (const HwProfile& hw : {test::dgx_h100(), test::efa_h100(), test::alps()}) {
    const Placement p = place(ranks(4, 0, static_cast<std::uint32_t>(hw.scale_up.domain)), hw);
    const Transfer gradients = collective(CollectiveOp::reduce_scatter, Bytes{std::int64_t{1} << 36}, p, hw).transfer;
    const Transfer tokens = collective(CollectiveOp::all_to_all, Bytes{std::int64_t{1} << 34}, p, hw).transfer;
    const double both = seconds(together({gradients, tokens}, 4, hw));
    EXPECT_NEAR(both, seconds(gradients.span) + seconds(tokens.span), 1e-3) << hw.name;
    EXPECT_GT(both, seconds(gradients.latency + gradients.span)) << hw.name;
  }
}

TEST(Sharing, CollectivesOfDifferentFabricsDoNotMeet) {
  // Tensor parallelism inside the node beside gradients between nodes: the longer of the two.
  const HwProfile hw = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR);
  const Transfer inside = transfer(CollectiveOp::all_gather, 1 << 28, 8, hw);
  const Transfer between = collective(CollectiveOp::reduce_scatter, Bytes{1 << 28}, place(ranks(8, 0, 8), hw), hw).transfer;
  EXPECT_EQ(together({inside, between}, 8, hw), std::max(inside.latency + inside.span, between.latency + between.span));
}

TEST(Sharing, DifferentTrafficSharesAPortByTime) {
  // A ring over nodes and a message out of the same NIC, 50 GB/s: each at half of its own speed until the shorter ends.
  const HwProfile hw = test::dgx_h100();
  const Transfer ring = collective(CollectiveOp::all_gather, Bytes{std::int64_t{1} << 32}, place(ranks(4, 0, 8), hw), hw).transfer;
  Transfer message;   // as long as a quarter of the ring, on the port of each member
  message.latency = ring.latency;
  message.span = ring.span / 4;
  message.members = {{{0, 0, static_cast<std::int64_t>(seconds(message.span) * 0.97 * 50e9), 0}, message.span}};
  message.taken[1] = static_cast<std::int64_t>((1 << Transfer::kTakenBits) / 0.97);
  const Time all = together({ring, message}, 4, hw);
  EXPECT_NEAR(seconds(all), seconds(ring.latency) + seconds(ring.span) * 1.25, seconds(ring.span) * 1e-5);
}

}  // namespace
}  // namespace moesim
