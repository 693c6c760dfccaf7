// Bad input through the program: tests/config/bad/NAME.json exits 2 with exactly the line in NAME.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "support/program.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const fs::path kSource = MOESIM_SOURCE_DIR;

std::string without_source_folder(std::string text) {
  const std::string folder = kSource.string() + "/";
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

void expect_one_line(const ProgramRun& r, const std::string& line) {
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(without_source_folder(r.err), "moesim: " + line + "\n");
  EXPECT_EQ(r.out, "");
}

/// tests/config/bad: *.json are scenarios, model/*.json configs of models, hw/*.json profiles of machines.
void walk(const fs::path& folder, const std::vector<std::string>& before, std::size_t at_least) {
  std::size_t count = 0;
  for (const std::string& name : names_in(folder)) {
    if (fs::path(name).extension() != ".json") continue;
    ++count;
    std::vector<std::string> args = before;
    args.push_back(fs::relative(folder / name, kSource).string());
    SCOPED_TRACE(name);
    std::string expected = file_text((folder / name).replace_extension(".txt"));
    ASSERT_FALSE(expected.empty()) << "no text beside it";
    expected.pop_back();
    expect_one_line(moesim_run(args), expected);
  }
  EXPECT_GE(count, at_least);
}

TEST(Errors, BadScenariosAreRefusedWithTheirExactText) { walk(kSource / "tests/config/bad", {"train"}, 40); }
TEST(Errors, BadModelsAreRefusedWithTheirExactText) { walk(kSource / "tests/config/bad/model", {"model"}, 8); }
TEST(Errors, BadMachinesAreRefusedWithTheirExactText) { walk(kSource / "tests/config/bad/hw", {"hw"}, 8); }

TEST(Errors, AValueIsGivenOnce) {
  EXPECT_EQ(moesim_run({"train", "first-moe-8xh100", "--set", "parallel.ep=4", "--ep", "8"}).err,
            "moesim: --ep and --set parallel.ep=4: found two values of parallel.ep, allowed is one\n");
  EXPECT_EQ(moesim_run({"train", "first-moe-8xh100", "--hw", "h20", "--set", "hardware=dgx-h200"}).err,
            "moesim: --hw and --set hardware=dgx-h200: found two values of hardware, allowed is one\n");
}

TEST(Errors, OutputsThatHaveNoPlaceAreRefusedBeforeTheWork) {
  // the scenario is as wrong, and would be named after it is read
  for (const std::string option : {"--json", "--csv", "--trace"}) {
    EXPECT_EQ(moesim_run({"train", "tests/config/bad/truncated.json", option, "/no/folder/x"}).err, "moesim: cannot write /no/folder/x: No such file or directory\n");
    EXPECT_EQ(moesim_run({"train", "tests/config/bad/truncated.json", option, "/tmp"}).err, "moesim: cannot write /tmp: it is a folder\n");
  }
}

TEST(Errors, AnEmptyGroupIsNoGroup) {
  EXPECT_EQ(moesim_run({"validate", "published", "--group", ""}).err, "moesim: --group: found \"\", allowed is the name of a group\n");
}

TEST(Errors, ASequenceHasALimit) {
  EXPECT_EQ(moesim_run({"model", "deepseek-v3", "--seq-length", "9223372036854775807"}).err,
            "moesim: --seq-length: found 9223372036854775807, allowed is an integer from 1 to 134217728\n");
}

TEST(Errors, MemoryAndCompareRefuseWhatTrainRefuses) {
  for (const std::string name : {"truncated", "ep-not-dividing-experts", "unknown-key-near-miss"}) {
    const std::string file = "tests/config/bad/" + name + ".json";
    const std::string error = moesim_run({"train", file}).err;
    EXPECT_EQ(moesim_run({"memory", file}).err, error);
    EXPECT_EQ(moesim_run({"compare", file, "first-moe-8xh100"}).err, error);
    EXPECT_EQ(moesim_run({"compare", "first-moe-8xh100", file}).err, error);
  }
}

TEST(Errors, FilesThatCannotBeReadSaySo) {
  const Scratch scratch;
  for (const char* command : {"train", "model", "hw"}) {
    const std::string absent = scratch / "absent.json";
    expect_one_line(moesim_run({command, absent}), absent + ": cannot read: No such file or directory");
    expect_one_line(moesim_run({command, scratch.path().string() + "/"}), scratch.path().string() + "/: cannot read: it is a folder");
    const std::string loop = scratch / "loop.json";
    fs::create_symlink(loop, loop);
    expect_one_line(moesim_run({command, loop}), loop + ": cannot read: Too many levels of symbolic links");
    fs::remove(loop);
    expect_one_line(moesim_run({command, "/dev/null"}), "/dev/null: the file is empty");
    expect_one_line(moesim_run({command, "/dev/zero"}), "/dev/zero: cannot read: larger than 256 MiB");
  }
}

TEST(Errors, AFileWithoutPermissionSaysSo) {
  if (moesim_run({"--version"}, {.unprivileged = true}).status != 0) GTEST_SKIP() << "only root may run the program here";
  const Scratch scratch;
  const std::string file = scratch / "secret.json";
  put_text(file, "{}");
  fs::permissions(scratch.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(file, fs::perms::none);
  for (const char* command : {"train", "model", "hw"}) expect_one_line(moesim_run({command, file}, {.unprivileged = true}), file + ": cannot read: Permission denied");
}

TEST(Errors, AFolderThatCannotBeReadSaysSo) {
  const Scratch scratch;
  const std::string loop = scratch / "loop", closed = scratch / "closed";
  fs::create_symlink(loop, loop);
  expect_one_line(moesim_run({"validate", "kernels", "--data", loop}), loop + ": cannot read: Too many levels of symbolic links");
  if (moesim_run({"--version"}, {.unprivileged = true}).status != 0) GTEST_SKIP() << "only root may run the program here";
  fs::create_directory(closed);
  fs::permissions(scratch.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(closed, fs::perms::none);
  for (const std::string& folder : {closed, closed + "/within"})
    expect_one_line(moesim_run({"validate", "kernels", "--data", folder}, {.unprivileged = true}), folder + ": cannot read: Permission denied");
}

TEST(Errors, TenMegabytesOfNestingIsOneLine) {
  const Scratch scratch;
  std::string deep;
  while (deep.size() < 10'000'000) deep += R"({"a":[)";
  for (const std::string& text : {deep, std::string(10'000'000, '['), "{\"kind\": \"" + std::string(10'000'000, 'x') + "\"}"}) {
    put_text(scratch / "deep.json", text);
    for (const char* command : {"train", "model", "hw"}) {
      const ProgramRun r = moesim_run({command, scratch / "deep.json"});
      EXPECT_EQ(r.status, 2);
      EXPECT_EQ(lines_of(r.err).size(), 1u);
      EXPECT_LE(r.err.size(), 700u);
      EXPECT_THAT(r.err, StartsWith("moesim: "));
    }
  }
}

TEST(Errors, EveryPrefixOfAScenarioIsRefusedOnOneLine) {
  const Scratch scratch;
  const std::string whole = file_text(kSource / "scenarios/train/first-moe-8xh100.json");
  const std::string trimmed = whole.substr(0, whole.find_last_of('}') + 1);
  for (std::size_t n = 0; n < trimmed.size(); n += 37) {
    put_text(scratch / "part.json", trimmed.substr(0, n));
    const ProgramRun r = moesim_run({"train", scratch / "part.json"});
    EXPECT_EQ(r.status, 2) << n;
    EXPECT_EQ(lines_of(r.err).size(), 1u) << n;
    EXPECT_THAT(r.err, StartsWith("moesim: " + (scratch / "part.json").string() + ":")) << n;
  }
}

// "null" and its like would merge with flags into a scenario of flags alone.
TEST(Errors, AScenarioThatIsNoObjectIsRefusedWithFlagsToo) {
  const Scratch scratch;
  for (const auto& [text, type] : {std::pair{"[]", "an array"}, {"1", "a number"}, {"null", "null"}, {"\"train\"", "a string"}, {"true", "a boolean"}}) {
    const std::string file = scratch / "a.json";
    put_text(file, text);
    const std::vector<std::string> flags{"train", file, "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "64", "--ep", "8", "--set", "kind=train"};
    expect_one_line(moesim_run(flags), file + ": found " + type + ", allowed is a JSON object");
    expect_one_line(moesim_run({"model", file}), file + ": found " + type + ", allowed is a JSON object");
    expect_one_line(moesim_run({"hw", file}), file + ": found " + type + ", allowed is a JSON object");
  }
}

TEST(Errors, AByteOrderMarkIsNoError) {
  const Scratch scratch;
  put_text(scratch / "first-moe-8xh100.json", "\xEF\xBB\xBF" + file_text(kSource / "scenarios/train/first-moe-8xh100.json"));
  EXPECT_EQ(moesim_run({"memory", scratch / "first-moe-8xh100.json"}).out, moesim_run({"memory", "first-moe-8xh100"}).out);
}

TEST(Errors, AboutAValueFromTheCommandLineNameItsFlag) {
  const std::string file = "scenarios/train/first-moe-8xh100.json";
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"memory", file};
    args.insert(args.end(), more.begin(), more.end());
    return moesim_run(args).err;
  };
  EXPECT_EQ(error({"--tp", "-1"}), "moesim: " + file + ": parallel.tp: found -1, allowed is an integer from 1 to 1048576 (given by --tp)\n");
  EXPECT_EQ(error({"--set", "parallel.tp=-1"}), "moesim: " + file + ": parallel.tp: found -1, allowed is an integer from 1 to 1048576 (given by --set parallel.tp=-1)\n");
  EXPECT_EQ(error({"--set", "parallel.tp=2", "--set", "parallel.tp=-1"}), "moesim: " + file + ": parallel.tp: found -1, allowed is an integer from 1 to 1048576 (given by --set parallel.tp=-1)\n");
  EXPECT_THAT(error({"--gpus", "7", "--tp", "2"}), HasSubstr(" (given by --gpus"));
  EXPECT_THAT(error({"--model", "mixtral-8x7"}), EndsWith("; did you mean \"mixtral-8x7b\"? (given by --model)\n"));
  EXPECT_THAT(error({"--set", "model.num_experts_per_tok=99"}), EndsWith(" (given by --set model.num_experts_per_tok=99)\n"));
  EXPECT_THAT(error({"--seed", "3", "--set", "parallel.pq=2"}), EndsWith(" (given by --set parallel.pq=2)\n"));
  EXPECT_THAT(moesim_run({"compare", file, "--set-b", "parallel.tp=-1"}).err, EndsWith(" (given by --set-b parallel.tp=-1)\n"));
}

TEST(Errors, ShowPathsInsideTheWorkingFolderFromThere) {
  const Scratch scratch;
  fs::create_directory(scratch / "s");
  put_text(scratch / "s/model.json", R"({"model_type": "mixtral"})");
  put_text(scratch / "s/run.json", R"({"kind": "train", "model": "./model.json", "hardware": "dgx-h100", "gpus": 8})");
  put_text(scratch / "s/more.json", R"({"kind": "train", "model": {"extends": "./model.json", "vocab_size": 8}, "hardware": "dgx-h100", "gpus": 8})");
  const auto error = [&](const std::vector<std::string>& args) { return moesim_run(args, {.directory = scratch.path()}).err; };
  EXPECT_EQ(error({"memory", "s/run.json"}), "moesim: s/run.json: model: s/model.json: hidden_size: missing\n");
  EXPECT_EQ(error({"memory", "s/more.json"}), "moesim: s/more.json: model: hidden_size: missing\n");
  EXPECT_EQ(error({"memory", "first-moe-8xh100", "--model", "s/model.json"}).substr(0, 8), "moesim: ");
  EXPECT_THAT(error({"memory", "first-moe-8xh100", "--model", "s/model.json"}), EndsWith(": model: s/model.json: hidden_size: missing (given by --model)\n"));
  put_text(scratch / "s/more.json", R"({"kind": "train", "model": {"extends": "./absent.json"}, "hardware": "dgx-h100", "gpus": 8})");
  EXPECT_EQ(error({"memory", "s/more.json"}), "moesim: s/absent.json: cannot read: No such file or directory\n");
}

TEST(Errors, OneNumberOfTheStackMayChangeWhereTheScenarioNamesNone) {
  const Scratch scratch;
  put_text(scratch / "s.json", R"({"kind": "train", "model": "qwen3-8b", "hardware": "dgx-h200", "gpus": 8, "batch": {"global_batch_size": 8}})");
  EXPECT_EQ(moesim_run({"memory", scratch / "s.json", "--set", "stack.host_per_step=1 ms"}).status, 0);
  EXPECT_THAT(moesim_run({"memory", scratch / "s.json", "--set", "stack.host_per_step=1"}).err,
              EndsWith(": stack: host_per_step: found 1, allowed is a quantity with a unit such as \"2 us\" (given by --set stack.host_per_step=1)\n"));
}

// Whatever folder it was written from, a saved scenario is read again from any other.
TEST(Errors, SavedScenariosHoldWholePaths) {
  const Scratch scratch;
  fs::create_directory(scratch / "s");
  put_text(scratch / "s/model.json", R"({"extends": "qwen3-8b", "num_hidden_layers": 2})");
  for (const char* model : {"\"./model.json\"", R"({"extends": "./model.json", "num_hidden_layers": 3})"}) {
    put_text(scratch / "s/run.json", std::string(R"({"kind": "train", "model": )") + model + R"(, "hardware": "dgx-h100", "gpus": 8, "batch": {"global_batch_size": 8}})");
    const ProgramRun saved = moesim_run({"train", "s/run.json", "--save", "-"}, {.directory = scratch.path()});
    ASSERT_EQ(saved.status, 0) << saved.err;
    put_text(scratch / "saved.json", saved.out);
    EXPECT_EQ(moesim_run({"memory", scratch / "saved.json", "--json", "-"}, {.directory = "/"}).out,
              moesim_run({"memory", "s/run.json", "--json", "-"}, {.directory = scratch.path()}).out);
  }
}

TEST(Errors, OverridesAreCheckedAsIfTheyStoodInTheFile) {
  for (const auto& [set, text] : std::vector<std::pair<std::string, std::string>>{{"parallel.seqence_parallel=true", "did you mean \"sequence_parallel\""},
                                                                                  {"parallel.ep=7", "7"},
                                                                                  {"batch.seq_length=-4096", "-4096"},
                                                                                  {"batch.seq_length=4096.5", "4096.5"},
                                                                                  {"hardware={\"extends\": \"dgx-h100\", \"gpu\": {\"memory\": \"96 Gb\"}}", "96 Gb"},
                                                                                  {"hardware={\"extends\": \"dgx-h100\", \"gpu\": {\"memory\": 96}}", "96"},
                                                                                  {"model={\"extends\": \"absent\"}", "absent"}}) {
    const ProgramRun r = moesim_run({"train", "first-moe-8xh100", "--set", set});
    EXPECT_EQ(r.status, 2) << set;
    EXPECT_EQ(lines_of(r.err).size(), 1u) << set;
    EXPECT_THAT(r.err, HasSubstr(text)) << set;
  }
}

}  // namespace
}  // namespace moesim
