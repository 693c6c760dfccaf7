// Predictions against published measurements, with bounds on the mean and the worst relative error of each group: they may only
// tighten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "collective/collective.h"
#include "collective/dispatcher.h"
#include "support/profiles.h"

namespace moesim {
namespace {

using test::ranks;
using Op = CollectiveOp;

HwProfile shipped(const char* name) { return load_hw_profile(name, MOESIM_SOURCE_DIR); }

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * 1024, kMB = 1'000'000, kGB = 1'000'000'000;

/// Collects predicted / measured - 1 of a group.
class Errors {
 public:
  explicit Errors(std::string group) : group_(std::move(group)) {}
  void add(double predicted, double measured) {
    const double e = std::abs(predicted / measured - 1);
    worst_ = std::max(worst_, e);
    sum_ += e;
    ++count_;
  }
  void expect(double mean, double worst) const {
    EXPECT_LE(sum_ / count_, mean) << group_;
    EXPECT_LE(worst_, worst) << group_;
    ::testing::Test::RecordProperty(group_ + "_mean_percent", static_cast<int>(std::lround(100 * sum_ / count_)));
    ::testing::Test::RecordProperty(group_ + "_worst_percent", static_cast<int>(std::lround(100 * worst_)));
  }

 private:
  std::string group_;
  double sum_ = 0, worst_ = 0;
  int count_ = 0;
};

Time predicted(Op op, std::int64_t bytes, std::uint32_t n, const HwProfile& hw) {
  const Transfer t = collective(op, Bytes{bytes}, place(ranks(n), hw), hw).transfer;
  return t.latency + t.span;
}

void add_bus(Errors& errors, const HwProfile& hw, Op op, std::uint32_t n, std::int64_t bytes, double measured_gb) {
  errors.add(bus_bandwidth(op, Bytes{bytes}, n, predicted(op, bytes, n, hw)).count() / 1e9, measured_gb);
}

struct Curve {
  Op op;
  std::uint32_t ranks;
  std::vector<double> bus_gb;
};

void add_curves(Errors& errors, const HwProfile& hw, const std::vector<std::int64_t>& sizes, const std::vector<Curve>& curves) {
  for (const Curve& c : curves)
    for (std::size_t i = 0; i < c.bus_gb.size(); ++i) add_bus(errors, hw, c.op, c.ranks, sizes[i], c.bus_gb[i]);
}

// NVIDIA AIConfigurator, nccl_perf tables (Apache-2.0): nccl-tests on one node.
const std::vector<std::int64_t> kNodeSizes{64 * kKiB, kMiB, 8 * kMiB, 64 * kMiB, 512 * kMiB};

TEST(Published, NcclInsideOneH100Node) {
  Errors errors("nccl_h100_node");
  add_curves(errors, shipped("dgx-h100"), kNodeSizes,
             {{Op::all_reduce, 8, {6.1, 72, 186, 362, 445}},
              {Op::all_gather, 8, {4.4, 54, 164, 282, 335}},
              {Op::reduce_scatter, 8, {4.9, 63, 168, 293, 335}},
              {Op::all_to_all, 8, {6.6, 59, 177, 265, 315}},
              {Op::all_reduce, 4, {8.7, 87, 200, 305, 350}},
              {Op::all_gather, 4, {5.5, 58, 139, 258, 318}}});
  errors.expect(0.03, 0.30);   // worst: 64 KiB all-to-all, where releases of NCCL differ by more
}

TEST(Published, ScatterAndGatherAgainstAllReduceInsideANode) {
  // The same tables: how much longer a reduce_scatter and an all_gather take than an all_reduce, at 64 and 512 MiB. Where one of the two was
  // not measured the other stands for it.
  struct Row { const char* machine; std::uint32_t ranks; double small, large; };
  Errors errors("nccl_scatter_and_gather");
  for (const Row& r : {Row{"dgx-h100", 8, (208.14 + 200.75) / 324.53, (1401.5 + 1399.36) / 2111.06}, Row{"dgx-h200", 8, 1.26, 1.365},
                       Row{"dgx-b200", 8, 0.99, 704.0 / 617}, Row{"gb200-nvl72", 4, 2 * 108.17 / 182.38, 2 * 733.3 / 1282.15},
                       Row{"dgx-a100", 8, (351.6 + 327.2) / 595.3, (2288.0 + 2207.1) / 4225.9}}) {
    const HwProfile hw = shipped(r.machine);
    for (const auto& [bytes, measured] : {std::pair{64 * kMiB, r.small}, {512 * kMiB, r.large}})
      errors.add(seconds(predicted(Op::reduce_scatter, bytes, r.ranks, hw) + predicted(Op::all_gather, bytes, r.ranks, hw)) /
                     seconds(predicted(Op::all_reduce, bytes, r.ranks, hw)), measured);
  }
  errors.expect(0.02, 0.05);
}

TEST(Published, NcclSmallMessagesInsideOneNode) {
  Errors errors("nccl_small_node");
  const auto add = [&](const HwProfile& hw, Op op, std::uint32_t n, double us) { errors.add(seconds(predicted(op, kKiB, n, hw)) * 1e6, us); };
  add(shipped("dgx-h100"), Op::all_reduce, 8, 15.6);
  add(shipped("dgx-h100"), Op::all_gather, 8, 10.4);
  add(shipped("dgx-h100"), Op::all_to_all, 8, 8.1);
  add(shipped("dgx-h100"), Op::all_reduce, 4, 9.3);
  add(shipped("dgx-h100"), Op::all_gather, 4, 7.1);
  add(shipped("dgx-a100"), Op::all_reduce, 8, 21.8);
  add(shipped("dgx-a100"), Op::all_to_all, 8, 12.8);
  add(shipped("gb200-nvl72"), Op::all_reduce, 4, 16);
  add(shipped("gb200-nvl72"), Op::reduce_scatter, 4, 12);
  errors.expect(0.05, 0.25);
}

TEST(Published, NcclInsideOtherNodes) {
  Errors errors("nccl_other_nodes");
  add_curves(errors, shipped("dgx-a100"), kNodeSizes, {{Op::all_reduce, 8, {4.1, 47, 115, 197, 222}}, {Op::all_to_all, 8, {4.0, 36, 108, 169, 203}}});
  add_curves(errors, shipped("gb200-nvl72"), kNodeSizes,
             {{Op::all_reduce, 4, {5.7, 80, 143, 552, 628}}, {Op::reduce_scatter, 4, {3.8, 54, 128, 465, 549}}});
  errors.expect(0.02, 0.08);
}

// crazyguitar/aws-gpu-communication-benchmark (CC BY 4.0): H100 nodes of 8 with EFA, out of place.
TEST(Published, NcclOverH100NodesWithEfa) {
  Errors errors("nccl_efa");
  const std::vector<std::int64_t> sizes{32 * kMB, 128 * kMB, 512 * kMB, 2 * kGB, 8 * kGB};
  add_curves(errors, shipped("aws-p5-h100"), sizes,
             {{Op::all_to_all, 16, {44.8, 68.8, 75.8, 79.3}},
              {Op::all_to_all, 32, {34.5, 52.6, 53.8, 54.1}},
              {Op::all_to_all, 128, {24.6, 31.5, 40.1, 44.2}},
              {Op::all_to_all, 256, {19.7, 27.0, 33.1, 40.8}},
              {Op::all_reduce, 16, {147, 305, 396, 445, 478}},
              {Op::all_reduce, 32, {95, 229, 278, 348, 357}},
              {Op::all_reduce, 128, {75, 129, 224, 271, 356}},
              {Op::all_reduce, 256, {66, 116, 157, 269, 321}},
              {Op::all_gather, 16, {131, 235, 276, 329}},
              {Op::all_gather, 32, {84, 212, 221, 331}},
              {Op::all_gather, 128, {25, 88, 220, 265}},
              {Op::all_gather, 256, {12, 46, 146, 263}}});
  errors.expect(0.05, 0.30);
}

// CSCS documentation (CC0) for two nodes; the 4 and 16 GPU busbw at gigabytes: MariSchn/Gipfelsturm read-me.
TEST(Published, NcclAllReduceOnAlps) {
  Errors large("nccl_alps_large"), small("nccl_alps_small");
  const HwProfile hw = shipped("alps-gh200");
  const auto us = [&](std::int64_t bytes) { return seconds(predicted(Op::all_reduce, bytes, 8, hw)) * 1e6; };
  small.add(us(8), 17.9);
  small.add(us(4 * kKiB), 32);
  small.add(us(64 * kKiB), 61);
  large.add(us(kMiB), 164);
  large.add(us(8 * kMiB), 345);
  large.add(us(64 * kMiB), 1090);
  large.add(us(128 * kMiB), 1916);
  add_bus(large, hw, Op::all_reduce, 4, 4 * kGB, 340);
  add_bus(large, hw, Op::all_reduce, 16, 4 * kGB, 93);
  small.expect(0.03, 0.05);
  large.expect(0.03, 0.06);
}

Time exchange(const char* dispatcher, const HwProfile& hw, std::uint32_t ep, std::int64_t tokens, DType dtype, bool combine,
              std::int64_t group_limit, std::int64_t sms = 0) {
  RankLoad load;
  load.tokens = load.received = tokens * 8;
  const std::vector<RankLoad> loads(ep, load);
  const ExchangeShape shape{tokens, 7168, dtype, 256, 8, group_limit, group_limit > 0 ? 8 : 0};
  const Placement p = place(ranks(ep), hw);
  auto d = dispatchers().make(dispatcher);
  if (sms > 0) d = d->with_sms(sms);
  const Transfer t = combine ? d->combine(shape, loads, p, hw) : d->dispatch(shape, loads, p, hw);
  return t.latency + t.span;
}

// NVIDIA's MoE report for Megatron Core: hidden 7168, 4096 tokens, 256 experts, 4 of 8 groups; HybridEP and NCCL all-to-all in bf16, us.
TEST(Published, ExpertExchangeOfTheMegatronReport) {
  struct Row {
    std::uint32_t ep;
    double fused_dispatch, plain_dispatch, fused_combine, plain_combine;
  };
  const auto check = [](const std::string& name, const HwProfile& hw, const std::vector<Row>& rows, double mean, double worst) {
    Errors errors(name);
    const auto add = [&](const char* d, std::uint32_t ep, bool combine, double us) {
      errors.add(seconds(exchange(d, hw, ep, 4096, DType::bf16, combine, 4)) * 1e6, us);
    };
    for (const Row& r : rows) {
      add("hybridep", r.ep, false, r.fused_dispatch);
      add("alltoall", r.ep, false, r.plain_dispatch);
      add("hybridep", r.ep, true, r.fused_combine);
      add("alltoall", r.ep, true, r.plain_combine);
    }
    errors.expect(mean, worst);
  };
  check("report_h100", shipped("dgx-h100"),
        {{8, 661, 1265, 624, 1277}, {16, 1485, 5774, 1688, 5628}, {32, 3064, 8059, 3088, 7815}, {64, 4626, 9164, 4398, 8727}}, 0.06, 0.18);
  check("report_gb200", shipped("gb200-nvl72"),
        {{8, 391, 735, 353, 741}, {16, 578, 743, 527, 765}, {32, 612, 769, 646, 758}, {64, 675, 930, 744, 827}}, 0.10, 0.20);
}

// NVIDIA AIConfigurator, DeepEP normal kernels on H100 (Apache-2.0): hidden 7168, top-8 of 256, 24 SMs, fp8 dispatch, bf16 combine. The
// dispatch of two nodes is its transfer plus the 35 to 55 us of notify, taken as 45.
TEST(Published, DeepEpNormalKernels) {
  Errors errors("deepep_normal");
  const HwProfile hw = shipped("dgx-h100");
  struct Row {
    std::uint32_t ep;
    std::int64_t sms, tokens;
    double dispatch, combine;   // over nodes with the notification ahead of them
  };
  for (const Row& r : std::vector<Row>{{8, 24, 128, 49, 82}, {8, 24, 1024, 154, 296}, {8, 24, 4096, 498, 961}, {8, 24, 16384, 1936, 3599},
                                       {8, 8, 128, 71, 119}, {8, 8, 1024, 313, 573}, {8, 8, 4096, 1082, 2031}, {8, 8, 16384, 4527, 7760},
                                       {16, 24, 128, 61 + 38, 142 + 34}, {16, 24, 1024, 235 + 52, 541 + 47}, {16, 24, 4096, 749 + 56, 1777 + 50},
                                       {16, 24, 16384, 2740 + 57, 6407 + 204}, {16, 4, 1024, 971 + 45, 2486 + 90}, {16, 4, 16384, 14472 + 65, 36376 + 630}}) {
    errors.add(seconds(exchange("deepep", hw, r.ep, r.tokens, DType::fp8, false, 0, r.sms)) * 1e6, r.dispatch);
    errors.add(seconds(exchange("deepep", hw, r.ep, r.tokens, DType::bf16, true, 0, r.sms)) * 1e6, r.combine);
  }
  errors.expect(0.03, 0.09);
}

// The same source: low-latency kernels, 128 tokens a rank; over nodes another release.
TEST(Published, DeepEpLowLatencyKernels) {
  Errors errors("deepep_low_latency");
  const HwProfile hw = shipped("dgx-h100");
  struct Row {
    std::uint32_t ep;
    std::int64_t tokens;
    double dispatch, combine;
  };
  for (const Row& r : std::vector<Row>{{8, 1, 13.2, 14.4}, {8, 32, 18.0, 26.3}, {8, 128, 36.7, 67.0}, {8, 512, 115.5, 259.2}, {16, 32, 40.1, 60.9}, {16, 128, 102.1, 186.2},
                                       {64, 32, 62.8, 95.6}, {64, 128, 166.8, 304.7}}) {
    errors.add(seconds(exchange("deepep_ll", hw, r.ep, r.tokens, DType::fp8, false, 0)) * 1e6, r.dispatch);
    errors.add(seconds(exchange("deepep_ll", hw, r.ep, r.tokens, DType::bf16, true, 0)) * 1e6, r.combine);
  }
  errors.expect(0.04, 0.12);
}

// DeepEP's read-me (MIT): 4096 tokens, fp8 dispatch, 4 of 8 groups, H800. Its GB/s count what a token's ranks (EP 8) or nodes receive,
// its own included: 3.63 ranks of 8, 2, 3.09 and 3.63 nodes of 2, 4 and 8.
TEST(Published, DeepEpReadMe) {
  Errors errors("deepep_readme");
  const HwProfile hw = shipped("h800-deepseek");
  struct Row {
    std::uint32_t ep;
    double places, gb;
  };
  for (const Row& r : std::vector<Row>{{8, 3.63, 153}, {16, 1.99, 43}, {32, 3.09, 58}, {64, 3.63, 51}}) {
    const double bytes = 4096 * r.places * static_cast<double>(token_bytes(7168, DType::fp8));
    errors.add(bytes / seconds(exchange("deepep", hw, r.ep, 4096, DType::fp8, false, 4)) / 1e9, r.gb);
  }
  errors.expect(0.09, 0.18);
}

}  // namespace
}  // namespace moesim
