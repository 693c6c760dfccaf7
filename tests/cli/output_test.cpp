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

TEST(Output, ADashIsStandardOutputInsteadOfTheReport) {
  for (const std::string& option : kOutputs) {
    const Scratch scratch;
    const ProgramRun r = moesim_run(small(option, "-"), {.directory = scratch.path()});
    EXPECT_EQ(r.status, 0) << option << r.err;
    moesim_run(small(option, scratch / "out"));
    EXPECT_TRUE(r.out == file_text(scratch / "out")) << option;
    EXPECT_THAT(names_in(scratch.path()), ElementsAre("out")) << option;
  }
}

TEST(Output, AScenarioThatDoesNotFitIsStillSaved) {
  const ProgramRun r = moesim_run({"train", "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "8", "--save", "-"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.out.starts_with("{\n")) << r.out;
}

TEST(Output, AnEmptyNameIsRefused) {
  for (const std::string& option : kOutputs) expect_refused(moesim_run(small(option, "")), option + ": found \"\", allowed is a file, or - for standard output");
}

TEST(Output, TwoOutputsDoNotShareAPlace) {
  const Scratch scratch;
  const std::string here = scratch / "out";
  const auto both = [&](const std::string& json, const std::string& csv) {
    std::vector<std::string> args = small("--json", json);
    args.insert(args.end(), {"--csv", csv});
    return moesim_run(args, {.directory = scratch.path()});
  };
  expect_refused(both("-", "-"), "--json and --csv: found - for both, allowed is standard output for one of them");
  expect_refused(both(here, here), "--json and --csv: found " + here + " for both, allowed is a file for each");
  expect_refused(both("out", "./out"), "--json and --csv: found ./out for both, allowed is a file for each");
  EXPECT_THAT(names_in(scratch.path()), IsEmpty());
  put_text(here, "the old one\n");
  fs::create_symlink("out", scratch / "link");
  expect_refused(both("out", "link"), "--json and --csv: found link for both, allowed is a file for each");
  EXPECT_EQ(file_text(here), "the old one\n");
  EXPECT_EQ(both("/dev/null", "/dev/null").status, 0);
}

TEST(Output, AnInputIsNeverOverwritten) {
  const Scratch scratch;
  put_text(scratch / "mine.json", R"({"extends": "mixtral-8x7b", "num_hidden_layers": 2})");
  put_text(scratch / "machine.json", R"({"extends": "./base.json"})");
  put_text(scratch / "base.json", R"({"extends": "dgx-h100"})");
  put_text(scratch / "a.json", R"({"kind": "train", "model": "mine.json", "hardware": "machine.json", "gpus": 8, "parallel": {"ep": 8}})");
  for (const std::string& option : kOutputs)
    for (const char* name : {"a.json", "mine.json", "machine.json", "base.json"}) {
      const std::string before = file_text(scratch / name);
      expect_refused(moesim_run({"train", "a.json", option, name}, {.directory = scratch.path()}), option + ": found " + name + ", which this run reads; allowed is another file");
      EXPECT_EQ(file_text(scratch / name), before);
    }
  const std::vector<std::string> args{"memory", "a.json", "--json", "a.json"};
  expect_refused(moesim_run(args, {.directory = scratch.path()}), "--json: found a.json, which this run reads; allowed is another file");
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
