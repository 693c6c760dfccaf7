// moesim compare: what it says of scenarios that do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace moesim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Compare, SaysWhichOfTheTwoDoesNotFitAndExitsOne) {
  const Scratch scratch;
  put_text(scratch / "big.json", R"({"kind": "train", "model": "qwen3-30b-a3b", "hardware": "dgx-h100", "gpus": 8, "batch": {"global_batch_size": 8}})");
  const ProgramRun ba = moesim_run({"compare", scratch / "big.json", "first-moe-8xh100"}), ab = moesim_run({"compare", "first-moe-8xh100", scratch / "big.json"});
  EXPECT_EQ(ba.status, 1);
  EXPECT_THAT(ba.out, AllOf(HasSubstr("\nA does not fit: stage 0 needs "), Not(HasSubstr("B does not fit")), HasSubstr("\nWhere the time went")));
  EXPECT_EQ(ab.status, 1);
  EXPECT_THAT(ab.out, AllOf(HasSubstr("\nB does not fit: stage 0 needs "), Not(HasSubstr("A does not fit"))));
}

TEST(Compare, IsSilentOfMemoryWhereBothFit) {
  const ProgramRun r = moesim_run({"compare", "first-moe-8xh100", "first-moe-dense-twin-8xh100"});
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.out, Not(HasSubstr("fit")));
}

}  // namespace
}  // namespace moesim
