// NCCL's own pick, against its formulas by hand and against where measured curves bend.
#include "collective/nccl_choice.h"

#include <gtest/gtest.h>

#include "support/profiles.h"

namespace moesim {
namespace {

using Op = CollectiveOp;
using Gen = NcclGeneration;
constexpr double kKiB = 1024, kMiB = 1 << 20;

std::string pick(Op op, double bytes, std::int64_t gpus, Gen g) {
  const NcclPick p = nccl_pick(op, bytes, gpus, g);
  return std::string(p.algorithm) + " " + std::string(p.protocol);
}

TEST(NcclChoice, TimeIsStartStepsAndBytes) {
  // Ring LL of 8 on Hopper: 6.6 + 14 * 0.6 us, and 2 * 7/8 of 80 kB at 141 GB/s.
  EXPECT_NEAR(nccl_pick(Op::all_reduce, 80e3, 8, Gen::hopper).seconds * 1e6, 6.6 + 14 * 0.6 + 1.75 * 80 / 141, 1e-9);
  // Ring Simple of 4 on Blackwell: 8.4 + 3 * 3.4 us, and 3/4 of 1 GB at 720 GB/s.
  EXPECT_NEAR(nccl_pick(Op::all_gather, 1e9, 4, Gen::blackwell).seconds * 1e6, 8.4 + 3 * 3.4 + 0.75e6 / 720, 1e-6);
}

TEST(NcclChoice, TheSwitchReducesFromFiveGpusOnButNotOnA100) {
  EXPECT_EQ(pick(Op::all_reduce, 64 * kMiB, 8, Gen::hopper), "nvls Simple");
  EXPECT_EQ(pick(Op::all_reduce, 64 * kMiB, 5, Gen::blackwell), "nvls Simple");
  EXPECT_EQ(pick(Op::all_reduce, 64 * kMiB, 4, Gen::hopper), "ring Simple");
  EXPECT_EQ(pick(Op::all_reduce, 64 * kMiB, 8, Gen::ampere), "ring Simple");
  EXPECT_EQ(pick(Op::all_gather, 64 * kMiB, 8, Gen::hopper), "ring Simple");
}

TEST(NcclChoice, ChangesWhereMeasuredCurvesBend) {
  // AIConfigurator nccl tables: times that more than double over one octave (B200, GB200: 2 to 4 MiB for two GPUs, 4 to 8 MiB for four, 8 to 16 MiB for
  // eight), and bends (H100).
  struct Bend {
    Op op;
    std::int64_t gpus;
    Gen generation;
    double before, after;   // MiB
  };
  for (const Bend& b : {Bend{Op::all_reduce, 2, Gen::blackwell, 2, 4}, {Op::all_gather, 4, Gen::blackwell, 4, 8}, {Op::reduce_scatter, 4, Gen::blackwell, 4, 8},
                        {Op::all_gather, 8, Gen::blackwell, 8, 16}, {Op::all_reduce, 4, Gen::blackwell, 4, 8}, {Op::all_reduce, 8, Gen::hopper, 1, 2},
                        {Op::all_gather, 8, Gen::hopper, 4, 8}, {Op::all_gather, 8, Gen::hopper, 16, 32}, {Op::all_reduce, 2, Gen::ampere, 0.5, 1}})
    EXPECT_NE(pick(b.op, b.before * kMiB, b.gpus, b.generation), pick(b.op, b.after * kMiB, b.gpus, b.generation))
        << name(b.op) << " of " << b.gpus << " on " << name(b.generation) << " from " << b.before << " MiB";
}

TEST(NcclChoice, SmallMessagesOfAnExchangeAreLL) {
  EXPECT_EQ(pick(Op::all_to_all, 8 * 16 * kKiB, 8, Gen::hopper), "pairwise LL");
  EXPECT_EQ(pick(Op::all_to_all, 8 * 16 * kKiB + 8, 8, Gen::hopper), "pairwise Simple");
}

TEST(NcclChoice, AGenerationIsKnownByItsLinks) {
  EXPECT_EQ(nccl_generation(test::dgx_a100()), Gen::ampere);
  EXPECT_EQ(nccl_generation(test::dgx_h100()), Gen::hopper);
  EXPECT_EQ(nccl_generation(test::gb200_nvl72()), Gen::blackwell);
}

}  // namespace
}  // namespace moesim
