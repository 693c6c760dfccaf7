// Where the program finds models, machines and scenarios: $MOESIM_DATA, beside an installed program, in the source tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const fs::path kSource = MOESIM_SOURCE_DIR;

TEST(Data, AnyWorkingFolderWillDo) {
  const Scratch scratch;
  EXPECT_EQ(moesim_run({"list", "models"}, {.directory = scratch.path()}).out, moesim_run({"list", "models"}).out);
}

TEST(Data, TheEnvironmentOverrides) {
  const Scratch scratch;
  fs::create_directories(scratch / "models");
  fs::create_directories(scratch / "hw_profiles");
  fs::copy_file(kSource / "models/mixtral-8x7b.json", scratch / "models/mine.json");
  const RunOptions here{.environment = {{"MOESIM_DATA", scratch.path()}}};
  EXPECT_EQ(moesim_run({"list", "models"}, here).out, "mine\n");
  EXPECT_EQ(moesim_run({"model", "mine"}, here).status, 0);
  EXPECT_EQ(moesim_run({"model", "mixtral-8x7b"}, here).status, 2);
}

TEST(Data, AnOverrideThatHoldsNoDataIsRefused) {
  const ProgramRun r = moesim_run({"list", "models"}, {.environment = {{"MOESIM_DATA", "/absent"}}});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "moesim: MOESIM_DATA: found \"/absent\", allowed is a folder that has models/ and hw_profiles/\n");
  EXPECT_EQ(moesim_run({"--help"}, {.environment = {{"MOESIM_DATA", "/absent"}}}).status, 0);
}

// As `cmake --install` lays it out.
TEST(Data, AnInstalledProgramUsesWhatIsInstalledBesideIt) {
  const Scratch prefix;
  fs::create_directories(prefix / "bin");
  fs::create_directories(prefix / "share/moesim");
  fs::copy_file(MOESIM_PROGRAM, prefix / "bin/moesim");
  for (const char* folder : {"models", "hw_profiles", "scenarios"}) fs::copy(kSource / folder, prefix / (std::string("share/moesim/") + folder), fs::copy_options::recursive);
  fs::copy_file(kSource / "models/mixtral-8x7b.json", prefix / "share/moesim/models/only-here.json");
  const RunOptions installed{.directory = prefix.path(), .program = prefix / "bin/moesim"};
  EXPECT_THAT(moesim_run({"list", "models"}, installed).out, HasSubstr("only-here\n"));
  EXPECT_THAT(moesim_run({"list", "models"}).out, Not(HasSubstr("only-here\n")));
  const std::vector<std::string> args{"train", "first-moe-8xh100", "--global-batch-size", "16", "--json", "-"};
  EXPECT_EQ(moesim_run(args, installed).out, moesim_run(args).out);
}

}  // namespace
}  // namespace moesim
