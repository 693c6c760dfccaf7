// Measured curves on a machine that has other latencies or efficiencies than when they were timed.
#include <gtest/gtest.h>

#include "base/document.h"
#include "collective/collective.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;

constexpr CollectiveOp kOps[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_to_all};

HwProfile changed(const std::string& base, const std::string& fabric, const std::string& what) {
  return load_hw_profile(Document::parse(R"({"extends": ")" + base + R"(", ")" + fabric + R"(": )" + what + "}", "mine.json"), MOESIM_SOURCE_DIR);
}

CollectiveCost cost(CollectiveOp op, std::int64_t bytes, std::uint32_t gpus, const HwProfile& hw) { return collective(op, Bytes{bytes}, place(ranks(gpus), hw), hw); }
double us(const CollectiveCost& c) { return seconds(c.transfer.latency + c.transfer.span) * 1e6; }

TEST(CarriedCurves, OfTheSameNumbersAreTheSameTimes) {
  const HwProfile h100 = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR), same = changed("dgx-h100", "scale_up", R"({"hop_latency": "600 ns"})");
  for (const CollectiveOp op : kOps)
    for (std::int64_t bytes = 1 << 10; bytes <= std::int64_t{1} << 30; bytes *= 8) {
      EXPECT_NEAR(us(cost(op, bytes, 8, same)) / us(cost(op, bytes, 8, h100)), 1, 1e-9) << name(op) << " " << bytes;
      EXPECT_EQ(cost(op, bytes, 8, same).provenance, Provenance::extrapolated);
    }
}

// They went by the formula at once, which is a third faster than two H100 were timed: a slower hop made a step faster.
TEST(CarriedCurves, OfWorseLinksAreNoFasterAndOfBetterOnesNoSlower) {
  struct Change {
    const char *fabric, *worse, *better;
  };
  for (const Change& c : {Change{"scale_up", R"({"hop_latency": "1.2 us"})", R"({"hop_latency": "300 ns"})"}, Change{"scale_up", R"({"ring_efficiency": 0.4})", R"({"ring_efficiency": 0.9})"},
                          Change{"scale_up", R"({"base_latency": "13.2 us"})", R"({"base_latency": "3.3 us"})"}, Change{"scale_up", R"({"all_to_all_efficiency": 0.3})", R"({"all_to_all_efficiency": 0.95})"},
                          Change{"scale_up", R"({"nvls_efficiency": 0.5})", R"({"nvls_efficiency": 1.2})"}}) {
    const HwProfile h100 = load_hw_profile("dgx-h100", MOESIM_SOURCE_DIR), worse = changed("dgx-h100", c.fabric, c.worse), better = changed("dgx-h100", c.fabric, c.better);
    for (const CollectiveOp op : kOps)
      for (std::int64_t bytes = 1 << 10; bytes <= std::int64_t{1} << 30; bytes *= 8)
        for (const std::uint32_t gpus : {2U, 8U}) {
          EXPECT_GE(us(cost(op, bytes, gpus, worse)), us(cost(op, bytes, gpus, h100)) * (1 - 1e-9)) << c.worse << " " << name(op) << " " << bytes << " on " << gpus;
          EXPECT_LE(us(cost(op, bytes, gpus, better)), us(cost(op, bytes, gpus, h100)) * (1 + 1e-9)) << c.better << " " << name(op) << " " << bytes << " on " << gpus;
        }
  }
  const HwProfile efa = load_hw_profile("aws-p5-h100", MOESIM_SOURCE_DIR), slow = changed("aws-p5-h100", "scale_out", R"({"ring_efficiency": 0.4, "base_latency": "60 us"})");
  for (const CollectiveOp op : kOps)
    for (std::int64_t bytes = 1 << 20; bytes <= std::int64_t{1} << 32; bytes *= 8) EXPECT_GE(us(cost(op, bytes, 64, slow)), us(cost(op, bytes, 64, efa)) * (1 - 1e-9)) << name(op) << " " << bytes;
}

}  // namespace
}  // namespace moesim
