// Outputs are whole or absent: unwritable places, full disks, closed pipes. Always one line and exit status 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mount.h>
#include <unistd.h>

#include "support/program.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kOutputs{"--json", "--csv", "--trace", "--save"};

std::vector<std::string> small(const std::string& option, const std::string& file) {
  return {"train", "first-moe-8xh100", "--global-batch-size", "16", option, file};
}

void expect_refused(const ProgramRun& r, const std::string& line) {
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "moesim: " + line + "\n");
  EXPECT_EQ(r.out, "");
}

TEST(Output, AFileIsWrittenWholeAndNothingElseIsLeft) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    const ProgramRun r = moesim_run(small(option, scratch / "out"));
    EXPECT_EQ(r.status, 0) << option << r.err;
    EXPECT_THAT(names_in(scratch.path()), ElementsAre("out")) << option;
    EXPECT_TRUE(file_text(scratch / "out").ends_with("\n")) << option;
  }
}

TEST(Output, AFolderThatDoesNotExistIsRefused) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    const std::string target = scratch / "absent/out";
    expect_refused(moesim_run(small(option, target)), "cannot write " + target + ": No such file or directory");
    EXPECT_THAT(names_in(scratch.path()), IsEmpty()) << option;
  }
}

TEST(Output, AFolderIsNotAFile) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    expect_refused(moesim_run(small(option, scratch.path())), "cannot write " + scratch.path().string() + ": it is a folder");
    EXPECT_THAT(names_in(scratch.path()), IsEmpty()) << option;
  }
}

TEST(Output, AReadOnlyFolderIsRefused) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const ProgramRun probe = moesim_run({"--version"}, {.unprivileged = true});
  for (const std::string& option : kOutputs) {
    const std::string target = scratch / "out";
    if (probe.status == 0) expect_refused(moesim_run(small(option, target), {.unprivileged = true}), "cannot write " + target + ": Permission denied");
  }
  fs::permissions(scratch.path(), fs::perms::owner_all);
  if (probe.status != 0) GTEST_SKIP() << "only root may run the program here";
}

TEST(Output, AFullDeviceIsReported) {
  for (const std::string& option : kOutputs) expect_refused(moesim_run(small(option, "/dev/full")), "cannot write /dev/full: No space left on device");
}

TEST(Output, AFullStandardOutputIsReported) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"train", "first-moe-8xh100", "--global-batch-size", "16"}, {"model", "mixtral-8x7b"}, {"hw", "dgx-h100"}, {"list", "models"}, {"--help"}, {"train", "--help"}, {"--version"}}) {
    const ProgramRun r = moesim_run(args, {.out_to = "/dev/full"});
    EXPECT_EQ(r.status, 2) << args[0];
    EXPECT_EQ(r.err, "moesim: cannot write standard output\n") << args[0];
  }
}

// A file may have 200 bytes and then writes fail, as on a disk that fills.
TEST(Output, ADiskThatFillsLeavesNothingHalfWritten) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    const std::string target = scratch / "out";
    const ProgramRun r = moesim_run(small(option, target), {.largest_file = 200});
    expect_refused(r, "cannot write " + target + ": File too large");
    EXPECT_THAT(names_in(scratch.path()), IsEmpty()) << option;
  }
}

TEST(Output, ADiskThatFillsKeepsTheOldFile) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    put_text(scratch / "out", "the old one\n");
    EXPECT_EQ(moesim_run(small(option, scratch / "out"), {.largest_file = 200}).status, 2);
    EXPECT_EQ(file_text(scratch / "out"), "the old one\n") << option;
    EXPECT_THAT(names_in(scratch.path()), ElementsAre("out")) << option;
  }
}

TEST(Output, ARealDiskThatFillsIsReported) {
  const Scratch scratch;
  if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=16k") != 0) GTEST_SKIP() << "may not mount a small disk here";
  const std::string target = scratch / "trace.json";   // about 460 kB
  const ProgramRun r = moesim_run(small("--trace", target));
  const std::vector<std::string> left = names_in(scratch.path());
  umount(scratch.path().c_str());
  expect_refused(r, "cannot write " + target + ": No space left on device");
  EXPECT_THAT(left, IsEmpty());
}

TEST(Output, DescriptorsAreWrittenToWhereTheyStand) {
  const std::string csv = moesim_run(small("--csv", "-")).out, text = moesim_run({"train", "first-moe-8xh100", "--global-batch-size", "16"}).out;
  for (const char* file : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) EXPECT_EQ(moesim_run(small("--csv", file)).out, csv + text) << file;
  EXPECT_EQ(moesim_run(small("--csv", "/dev/stderr")).err, csv);
  EXPECT_EQ(moesim_run(small("--trace", "/dev/null")).status, 0);
  for (const char* file : {"/dev/stdout", "/dev/stderr"}) EXPECT_TRUE(fs::is_symlink(file)) << file << " was replaced";
}

TEST(Output, ALinkIsFollowedAndKept) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    fs::create_directory(scratch / "results");
    fs::create_symlink("results/out", scratch / "link");   // to nothing yet
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(moesim_run(small(option, scratch / "link")).status, 0) << option;
      EXPECT_TRUE(fs::is_symlink(scratch / "link")) << option;
      EXPECT_TRUE(file_text(scratch / "results/out").ends_with("\n")) << option;
      EXPECT_THAT(names_in(scratch / "results"), ElementsAre("out")) << option;
    }
  }
}

}  // namespace
}  // namespace moesim
