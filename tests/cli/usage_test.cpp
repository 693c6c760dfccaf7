// What a person meets first: help, slips of the finger, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace moesim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kCommands{"train", "memory", "compare", "model", "hw", "validate", "list"};

/// Exit status 2 and exactly this line on standard error, nothing on standard output.
void expect_refused(const std::vector<std::string>& args, const std::string& line) {
  const ProgramRun r = moesim_run(args);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "moesim: " + line + "\n");
  EXPECT_EQ(r.out, "");
}

TEST(Usage, HelpListsEveryCommandOnStandardOutput) {
  for (const char* word : {"--help", "-h", "help"}) {
    const ProgramRun r = moesim_run({word});
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.err, "");
    for (const std::string& c : kCommands) EXPECT_THAT(r.out, HasSubstr("\n  " + c + " ")) << word;
  }
}

TEST(Usage, NoArgumentsShowTheHelpAsAnError) {
  const ProgramRun r = moesim_run({});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, moesim_run({"--help"}).out);
}

TEST(Usage, EveryCommandHasAHelpOfItsOwnThatFitsATerminal) {
  for (const std::string& c : kCommands)
    for (const char* word : {"--help", "-h"}) {
      const ProgramRun r = moesim_run({c, word});
      EXPECT_EQ(r.status, 0) << c;
      EXPECT_EQ(r.err, "") << c;
      EXPECT_THAT(r.out, StartsWith("Usage: moesim " + c + " ")) << c;
      for (const std::string& line : lines_of(r.out)) EXPECT_LE(line.size(), 80u) << c << ": " << line;
    }
}

TEST(Usage, VersionIsOneLine) {
  const ProgramRun r = moesim_run({"--version"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "moesim 0.1.0\n");
}

TEST(Usage, UnknownCommandsNameTheNearest) {
  for (const auto& [slip, meant] : std::vector<std::pair<std::string, std::string>>{
           {"tarin", "train"}, {"memroy", "memory"}, {"modle", "model"}, {"comapre", "compare"}, {"lst", "list"}}) {
    const ProgramRun r = moesim_run({slip});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, AllOf(StartsWith("moesim: found \"" + slip + "\""), EndsWith("; did you mean \"" + meant + "\"?\n")));
    EXPECT_EQ(lines_of(r.err).size(), 1u);
  }
  EXPECT_THAT(moesim_run({"xylophone"}).err, testing::Not(HasSubstr("did you mean")));
}

TEST(Usage, UnknownOptionsNameTheNearest) {
  expect_refused({"train", "first-moe-8xh100", "--gpsu", "8"}, "unknown option --gpsu; did you mean \"--gpus\"?");
  expect_refused({"train", "first-moe-8xh100", "--jsn", "x"}, "unknown option --jsn; did you mean \"--json\"?");
  expect_refused({"model", "mixtral-8x7b", "--seq-lenght", "8"}, "unknown option --seq-lenght; did you mean \"--seq-length\"?");
}

TEST(Usage, UnknownNamesSayWhereTheyWereLookedForAndTheNearest) {
  const std::string data = MOESIM_SOURCE_DIR;
  expect_refused({"hw", "dgx-h10"}, "found \"dgx-h10\", allowed is a hardware profile in " + data + "/hw_profiles or a path to a JSON file; did you mean \"dgx-h100\"?");
  expect_refused({"model", "mixtral-8x7"}, "found \"mixtral-8x7\", allowed is a model in " + data + "/models or a path to a JSON file; did you mean \"mixtral-8x7b\"?");
  expect_refused({"train", "first-moe-8xh10"},
                 "found \"first-moe-8xh10\", allowed is a scenario in " + data + "/scenarios/train or a path to a JSON file; did you mean \"first-moe-8xh100\"?");
  expect_refused({"list", "modles"},
                 "list: found \"modles\", allowed is models, hardware, stacks, scenarios, schedules, dispatchers, load-laws; did you mean \"models\"?");
}

TEST(Usage, ValuesThatAreNotNumbersAreNamed) {
  expect_refused({"train", "first-moe-8xh100", "--tp", "two"}, "--tp: found \"two\", allowed is a whole number");
  expect_refused({"train", "first-moe-8xh100", "--tp", "1.5"}, "--tp: found \"1.5\", allowed is a whole number");
  expect_refused({"train", "first-moe-8xh100", "--detail", "fine"}, "--detail: found \"fine\", allowed is fold or ranks");
}

TEST(Usage, ValuesThatCannotBeAreRefused) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{{"train", "first-moe-8xh100", "--tp", "two"},
                                                                                   {"train", "first-moe-8xh100", "--tp", "0"},
                                                                                   {"train", "first-moe-8xh100", "--tp", "99999999999999999999"},
                                                                                   {"train", "first-moe-8xh100", "--tp"},
                                                                                   {"train", "first-moe-8xh100", "--detail", "fine"},
                                                                                   {"train", "first-moe-8xh100", "--samples", "0"}, {"train", "first-moe-8xh100", "--samples", "100001"},
                                                                                   {"train", "first-moe-8xh100", "--seed", "-1"},
                                                                                   {"train", "first-moe-8xh100", "--set", "parallel"},
                                                                                   {"train", "first-moe-8xh100", "--set", "parallel.tp.x=1"},
                                                                                   {"train", "first-moe-8xh100", "mixtral-8x7b-64xh100"},
                                                                                   {"train", "first-moe-8xh100", "--json", ""},
                                                                                   {"train", ""},
                                                                                   {"train"},
                                                                                   {"compare", "first-moe-8xh100"},
                                                                                   {"model", "mixtral-8x7b", "--seq-length", "0"},
                                                                                   {"model"},
                                                                                   {"hw"},
                                                                                   {"list"}}) {
    const ProgramRun r = moesim_run(args);
    EXPECT_EQ(r.status, 2) << testing::PrintToString(args);
    EXPECT_EQ(lines_of(r.err).size(), 1u) << testing::PrintToString(args) << r.err;
    EXPECT_EQ(r.out, "") << testing::PrintToString(args);
  }
}

TEST(Usage, EveryListedNameIsAccepted) {
  for (const auto& [kind, command] : {std::pair{"models", "model"}, {"hardware", "hw"}, {"scenarios", "memory"}}) {
    const std::vector<std::string> names = lines_of(moesim_run({"list", kind}).out);
    EXPECT_GE(names.size(), 10u) << kind;
    for (const std::string& line : names) {
      const std::string name = line.substr(0, line.find(' '));
      EXPECT_EQ(moesim_run({command, name}).status, 0) << command << " " << name;
    }
  }
  for (const char* kind : {"stacks", "schedules", "dispatchers", "load-laws"}) EXPECT_NE(moesim_run({"list", kind}).out, "") << kind;
}

}  // namespace
}  // namespace moesim
