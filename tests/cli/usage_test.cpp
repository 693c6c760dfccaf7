// What a person meets first: help, slips of the finger, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kCommands{"train", "memory", "compare", "model", "hw", "collective", "validate", "list"};

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

TEST(Usage, HelpOfACommandMayBeAskedForEitherWay) {
  for (const std::string& c : kCommands) EXPECT_EQ(moesim_run({"help", c}).out, moesim_run({c, "--help"}).out) << c;
  for (const std::string& c : kCommands) EXPECT_EQ(moesim_run({"--help", c}).out, moesim_run({c, "--help"}).out) << c;
  expect_refused({"help", "tarin"}, "found \"tarin\", allowed is a command: train, memory, compare, model, hw, collective, validate, list; did you mean \"train\"?");
  expect_refused({"help", "train", "hw"}, "help: expected one command");
  for (const std::string& line : lines_of(moesim_run({"help"}).out)) EXPECT_LE(line.size(), 80u) << line;
}

/// What the help says of an option, on one line.
std::string help_of(const std::string& text, const std::string& option) {
  std::string out;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("  --")) inside = line.starts_with("  " + option + " ");
    if (inside) out += " " + line;
  }
  std::string words;
  for (const char c : out)
    if (c != ' ' || !words.ends_with(' ')) words += c;
  return words;
}

// Every "(default: X)" and "(=X)" of the help, against what a run without the option resolves to.
TEST(Usage, TheHelpStatesTheDefaultsThatHold) {
  const std::string help = moesim_run({"help", "train"}).out;
  const std::vector<std::string> run{"train", "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "32", "--pp", "4", "--tp", "2", "--allow-oom"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return moesim_run(more);
  };
  const Json saved = Json::parse(with({"--save", "-"}).out);
  const std::map<std::string, std::string> said{
      {"--stack", saved.at("stack").get<std::string>()},
      {"--vpp", saved.at("parallel").at("vpp").dump()},
      {"--ep", saved.at("parallel").at("ep").dump()},
      {"--etp", "tp"},
      {"--seq-length", saved.at("batch").at("seq_length").dump()},
      {"--micro-batch-size", saved.at("batch").at("micro_batch_size").dump()},
      {"--seed", saved.at("seed").dump()},
  };
  for (const auto& [option, value] : said) EXPECT_THAT(help_of(help, option), HasSubstr("(default: " + value + ")")) << option;
  EXPECT_EQ(saved.at("parallel").at("etp"), saved.at("parallel").at("tp"));
  // 8 * pp micro-batches of each of dp = 32 / (2 * 4) = 4 pipelines.
  EXPECT_THAT(help_of(help, "--global-batch-size"), HasSubstr("(default: 8 * pp micro-batches a pipeline)"));
  EXPECT_EQ(saved.at("batch").at("global_batch_size"), 8 * 4 * 4);
  const Json plain = Json::parse(moesim_run({"train", "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "8", "--allow-oom", "--save", "-"}).out).at("parallel");
  for (const char* size : {"tp", "pp"}) EXPECT_THAT(help_of(help, "--" + std::string(size)), HasSubstr("(default: " + plain.at(size).dump() + ")")) << size;
  for (const auto& [option, value] : {std::pair{"--detail", "fold"}, {"--samples", "1"}}) {
    EXPECT_THAT(help_of(help, option), HasSubstr("(=" + std::string(value) + ")"));
    EXPECT_EQ(with({option, value}).out, with({}).out) << option;
  }
  EXPECT_EQ(moesim_run({"model", "mixtral-8x7b", "--seq-length", "4096"}).out, moesim_run({"model", "mixtral-8x7b"}).out);
  EXPECT_THAT(moesim_run({"help", "model"}).out, HasSubstr("--seq-length arg (=4096)"));
}

// An option whose help names no default has none: it is required, an output, a source or a switch.
TEST(Usage, EveryOptionHasAHelpThatStatesItsDefaultIfItHasOne) {
  const std::set<std::string> without{"--model", "--hw", "--gpus", "--set", "--json", "--csv", "--trace", "--save", "--allow-oom"};
  const std::string help = moesim_run({"help", "train"}).out;
  for (const std::string& line : lines_of(help)) {
    if (!line.starts_with("  --")) continue;
    const std::string option = line.substr(2, line.find(' ', 2) - 2), text = help_of(help, option);
    const bool states = text.find("(default: ") != std::string::npos || text.find("(=") != std::string::npos;
    EXPECT_EQ(states, !without.contains(option)) << text;
    EXPECT_GT(text.size(), option.size() + 15) << text;
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
  expect_refused({"train", "first-moe-8xh100", "--ep", ""}, "--ep: found \"\", allowed is a whole number");
  expect_refused({"train", "first-moe-8xh100", "--ep", "99999999999999999999"}, "--ep: found \"99999999999999999999\", allowed is a whole number below 2^63");
  expect_refused({"train", "first-moe-8xh100", "--ep="}, "--ep: a value is missing");
  expect_refused({"compare", "first-moe-8xh100", "--set-b", "x"}, "--set-b: found \"x\", allowed is path=value such as parallel.ep=16");
  expect_refused({"compare", "first-moe-8xh100", "--set-b", "ep=2"}, "--set-b: found \"ep=2\"; did you mean \"parallel.ep=2\"?");
  expect_refused({"train", "first-moe-8xh100", "--json"}, "--json: a value is missing");
  expect_refused({"train", "first-moe-8xh100", "--detail", "fine"}, "--detail: found \"fine\", allowed is fold or ranks");
}

TEST(Usage, FlagsAloneMustNameModelMachineAndSize) {
  const std::string expected = "expected a scenario (`moesim list scenarios`), or --model, --hw and --gpus; missing: ";
  expect_refused({"train"}, expected + "--model, --hw, --gpus");
  expect_refused({"train", "--model", "qwen3-8b", "--gpus", "8"}, expected + "--hw");
  expect_refused({"memory", "--model", "qwen3-8b", "--hw", "dgx-h100"}, expected + "--gpus");
  EXPECT_EQ(moesim_run({"train", "--model", "qwen3-8b", "--hw", "dgx-h100", "--set", "gpus=8"}).err.find("missing"), std::string::npos);
}

TEST(Usage, WordsOfFlagsInSetAreToldTheirPlace) {
  expect_refused({"train", "first-moe-8xh100", "--set", "ep=4"}, "--set: found \"ep=4\"; did you mean \"parallel.ep=4\"?");
  expect_refused({"train", "first-moe-8xh100", "--set", "seq_length=64"}, "--set: found \"seq_length=64\"; did you mean \"batch.seq_length=64\"?");
  expect_refused({"train", "first-moe-8xh100", "--set", "hw.scale_out.per_gpu=50 GB/s"},
                 "--set: found \"hw.scale_out.per_gpu=50 GB/s\"; did you mean \"hardware.scale_out.per_gpu=50 GB/s\"?");
}

TEST(Usage, AMachineMarksTheNumbersThatNoReportDependsOn) {
  const std::string out = moesim_run({"hw", "dgx-h100"}).out;
  EXPECT_THAT(out, HasSubstr("\ngpu.peak.fp32 * "));
  EXPECT_THAT(out, HasSubstr("\ngpu.memory "));
  EXPECT_THAT(out, HasSubstr("\n* no result of `moesim train` depends on it yet\n"));
}

TEST(Usage, ValuesThatCannotBeAreRefused) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{{"train", "first-moe-8xh100", "--tp", "two"},
                                                                                   {"train", "first-moe-8xh100", "--tp", "0"},
                                                                                   {"train", "first-moe-8xh100", "--tp", "99999999999999999999"},
                                                                                   {"train", "first-moe-8xh100", "--tp"},
                                                                                   {"train", "first-moe-8xh100", "--detail", "fine"},
                                                                                   {"train", "first-moe-8xh100", "--samples", "0"},
                                                                                   {"train", "first-moe-8xh100", "--samples", "100001"},
                                                                                   {"train", "first-moe-8xh100", "--gpus", "0"},
                                                                                   {"train", "first-moe-8xh100", "--gpus", "1000000000"},
                                                                                   {"train", "first-moe-8xh100", "--gpus", "-8"},
                                                                                   {"train", "first-moe-8xh100", "--gpus", "8", "--gpus", "16"},
                                                                                   {"train", "first-moe-8xh100", "--gpus", "1e3"},
                                                                                   {"train", "first-moe-8xh100", "--allow-oom=1"},
                                                                                   {"train", "first-moe-8xh100", "--set"},
                                                                                   {"train", "first-moe-8xh100", "--set", "=1"},
                                                                                   {"train", "first-moe-8xh100", "-x"},
                                                                                   {"train", "first-moe-8xh100", "--trace-ranks", "0"},
                                                                                   {"model", "mixtral-8x7b", "--json", "-", "--json", "-"},
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
