// Bad input through the program: tests/config/bad/NAME.json exits 2 with exactly the line in NAME.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "support/program.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
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
