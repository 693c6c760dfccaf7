#include "base/document.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/extends.h"
#include "base/named_file.h"
#include "base/output_file.h"
#include "base/reader.h"

namespace moesim {
namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string parse_error(std::string_view text) {
  return error_of([&] { Document::parse(text, "a.json"); });
}

TEST(Document, RefusesWhatWouldLaterBeSilent) {
  EXPECT_EQ(parse_error(R"({"a":1,"a":2})"), "a.json:1:8: the key \"a\" stands twice in one object");
  EXPECT_EQ(parse_error(std::string(65, '[')), "a.json:1:65: nested more than 64 levels deep");
  EXPECT_EQ(parse_error(R"({"a":123456789012345678901234567890})"), "a.json:1:6: the number 123456789012345678901234567890 does not fit into 64 bits");
  EXPECT_TRUE(parse_error(R"({"a":NaN})").starts_with("a.json:1:6: not JSON: invalid literal")) << parse_error(R"({"a":NaN})");
  EXPECT_TRUE(parse_error("{\n \"a\": 1\n").starts_with("a.json:3:1: not JSON: unexpected end of input")) << parse_error("{\n \"a\": 1\n");
  EXPECT_TRUE(parse_error("{} {}").starts_with("a.json:1:4: not JSON: ")) << parse_error("{} {}");
  EXPECT_NE(parse_error("{\"a\": \"\xff\"}"), "no error");
  EXPECT_EQ(parse_error("{\n\"a\": [1, 1e999 ]}"), "a.json:2:10: the number 1e999 is too large");
  EXPECT_EQ(parse_error("-1e999"), "a.json:1:1: the number -1e999 is too large");
  EXPECT_EQ(parse_error("{\"x\": {}, \"q\\\"\\\\\": 1,\n  \"q\\\"\\\\\": 2}"), "a.json:2:3: the key \"q\"\\\" stands twice in one object");
}

TEST(Document, EveryTruncationOfAFileIsOneLineWithAPlace) {
  const std::string whole = R"({"a": [1, -2.5e3, true, null], "b": {"c": "x\u00e9\n"}})";
  EXPECT_EQ(parse_error(whole), "no error");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string error = parse_error(std::string_view(whole).substr(0, n));
    EXPECT_TRUE(error.starts_with("a.json:1:")) << n << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << n;
  }
}

TEST(Document, SixtyFourLevelsAreAllowed) {
  EXPECT_EQ(parse_error(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(parse_error(std::string(65, '[') + std::string(65, ']')), "a.json:1:65: nested more than 64 levels deep");
}

TEST(Document, IntegersKeepAllTheirBits) {
  EXPECT_EQ(Document::parse("18446744073709551615", "a").json().get<std::uint64_t>(), 18446744073709551615u);
  EXPECT_EQ(Document::parse("-9223372036854775808", "a").json().get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_error("18446744073709551616"), "a.json:1:1: the number 18446744073709551616 does not fit into 64 bits");
}

TEST(Document, TenMegabytesOfBracketsGiveOneShortLine) {
  const std::string error = parse_error(std::string(10'000'000, '['));
  EXPECT_EQ(error, "a.json:1:65: nested more than 64 levels deep");
}

TEST(Document, FilesThatCannotBeReadSayWhy) {
  EXPECT_EQ(error_of([] { Document::load("/no/such.json"); }), "/no/such.json: cannot read: No such file or directory");
  EXPECT_EQ(error_of([] { Document::load("/"); }), "/: cannot read: it is a folder");
}

TEST(Document, SetOverridesByPathAndKeepsStrings) {
  const Document d = Document::parse(R"({"parallel":{"ep":1},"n":2})", "a.json");
  EXPECT_EQ(d.with("parallel.ep=16").json()["parallel"]["ep"], 16);
  EXPECT_EQ(d.with("moe.load.law=zipf").json()["moe"]["load"]["law"], "zipf");
  EXPECT_EQ(d.with("x=450 GB/s").json()["x"], "450 GB/s");
  EXPECT_EQ(d.with("x=null").json()["x"], nullptr);
  EXPECT_EQ(error_of([&] { d.with("n.x=1"); }), "--set: found \"n.x=1\", but n is 2, not a section with \"x\" in it");
  EXPECT_EQ(error_of([&] { d.with("parallel.ep"); }), "--set: found \"parallel.ep\", allowed is path=value such as parallel.ep=16");
  for (const char* broken : {"a..b=1", ".=1", "a.=1", ".a=1"})
    EXPECT_EQ(error_of([&] { d.with(broken); }), "--set: found \"" + std::string(broken) + "\", the path before '=' is not names joined by dots");
}

TEST(Document, SetReadsValuesAsJsonWhereTheyAreJson) {
  const Document d = Document::parse("{}", "a.json");
  EXPECT_EQ(d.with("x=true").json()["x"], true);
  EXPECT_EQ(d.with("x=1.5").json()["x"], 1.5);
  EXPECT_EQ(d.with("x=\"8\"").json()["x"], "8");
  EXPECT_EQ(d.with("x=[\"a\", 1]").json()["x"].dump(), R"(["a",1])");
  EXPECT_EQ(d.with("x=").json()["x"], "");
  EXPECT_EQ(d.with("x=a=b").json()["x"], "a=b");
  EXPECT_EQ(d.with("a.b.c=1").json().dump(), R"({"a":{"b":{"c":1}}})");
  // What begins like JSON is meant as JSON.
  EXPECT_EQ(error_of([&] { d.with("x={\"a\": 1"); }), "--set x:1:8: not JSON: unexpected end of input; expected '}'");
}

TEST(Document, SetReachesEntriesOfLists) {
  const Document d = Document::parse(R"({"levels":[{"t":1},{"t":2}],"m":["a"]})", "a.json");
  for (const char* way : {"levels[1].t=5", "levels.1.t=5"}) EXPECT_EQ(d.with(way).json()["levels"].dump(), R"([{"t":1},{"t":5}])") << way;
  EXPECT_EQ(d.with("m[0]=b").json()["m"].dump(), R"(["b"])");
  EXPECT_EQ(error_of([&] { d.with("levels[2].t=5"); }), "--set: found \"levels[2].t=5\", but levels has 2 entries, 0 to 1");
  EXPECT_EQ(error_of([&] { d.with("levels.t=5"); }), "--set: found \"levels.t=5\", but levels is a list: allowed is a number, as in levels[0]");
  for (const char* broken : {"m[=1", "m[]=1", "m[x]=1", "m[-1]=1", "m[01]=1"})
    EXPECT_EQ(error_of([&] { d.with(broken); }), "--set: found \"" + std::string(broken) + "\", the path before '=' has a [ without a number and ]");
}

TEST(Document, AnObjectOverAListChangesTheEntriesItNumbers) {
  const Document base = Document::parse(R"({"l":[{"t":1,"n":"a"},{"t":2}]})", "base.json");
  const auto over = [&](const char* text) { return base.merged(Document::parse(text, "mine.json")).json()["l"].dump(); };
  EXPECT_EQ(over(R"({"l":{"1":{"t":7}}})"), R"([{"t":1,"n":"a"},{"t":7}])");
  EXPECT_EQ(over(R"({"l":{"_why":"x","0":{"n":null}}})"), R"([{"t":1},{"t":2}])");
  EXPECT_EQ(over(R"({"l":[5]})"), "[5]");
  EXPECT_EQ(over(R"({"l":{}})"), "{}");
  EXPECT_EQ(error_of([&] { over(R"({"l":{"2":{}}})"); }), "mine.json: l: found entry 2, but the list has 2 entries, 0 to 1");
}

TEST(Reader, SaysWhereWhatAndWhatIsAllowed) {
  const Document d = Document::parse(R"({"p":{"tp":-2,"tpp":1,"bw":450,"s":"x","f":1.5,"z":"0 GB"}})", "a.json");
  Reader root = d.root();
  Reader p = root.object("p");
  EXPECT_EQ(error_of([&] { p.integer("tp"); }), "a.json: p.tp: found -2, allowed is an integer from 1 to 4294967295");
  EXPECT_EQ(error_of([&] { p.integer("f"); }), "a.json: p.f: found 1.5, allowed is an integer from 1 to 4294967295");
  EXPECT_EQ(error_of([&] { p.bandwidth("bw"); }), "a.json: p.bw: found 450, allowed is a quantity with a unit such as \"450 GB/s\"");
  EXPECT_EQ(error_of([&] { p.bytes("z"); }), "a.json: p.z: found \"0 GB\", allowed is a quantity with a unit such as \"80 GB\", above zero");
  EXPECT_EQ(error_of([&] { p.integer("seq"); }), "a.json: p.seq: missing");
  p.text("s");
  EXPECT_EQ(error_of([&] { p.done(); }), "a.json: p.tpp: unknown key; did you mean \"tp\"?");
  EXPECT_EQ(p.find_integer("absent"), std::nullopt);
  constexpr std::string_view allowed[] = {"fold", "ranks"};
  EXPECT_EQ(error_of([&] { p.choice("s", allowed); }), "a.json: p.s: found \"x\", allowed is one of fold, ranks");
}

TEST(Reader, KeysFromTheUserStayOnOneLine) {
  const Document d = Document::parse(R"({"a\nb":{"c":1}, "list":[{"tp":0}], "n":[1,"x"]})", "a.json");
  Reader root = d.root();
  EXPECT_EQ(error_of([&] { root.object("a\nb").text("c"); }), R"(a.json: a\x0ab.c: found 1, allowed is a string)");
  EXPECT_EQ(error_of([&] { root.objects("list")[0].integer("tp"); }), "a.json: list.0.tp: found 0, allowed is an integer from 1 to 4294967295");
  EXPECT_EQ(error_of([&] { root.numbers("n"); }), "a.json: n.1: found \"x\", allowed is a number from 0 up");
}

TEST(Reader, NullCountsAsAbsent) {
  const Document d = Document::parse(R"({"a":null})", "a.json");
  Reader root = d.root();
  EXPECT_FALSE(root.has("a"));
  EXPECT_EQ(root.find_bytes("a"), std::nullopt);
  EXPECT_EQ(error_of([&] { root.bytes("a"); }), "a.json: a: missing");
  EXPECT_NO_THROW(root.done());
}

TEST(Reader, RemarksAreNeverLeftOver) {
  const Document d = Document::parse(R"({"_source":"somewhere"})", "a.json");
  EXPECT_NO_THROW(d.root().done());
}

class Folder : public testing::Test {
 protected:
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 ("moesim_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  void SetUp() override {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(Folder, ExtendsMergesAndFindsNames) {
  write_file(folder / "base.json", R"({"a":1,"b":{"c":2,"d":3}})");
  write_file(folder / "mine.json", R"({"extends":"base","b":{"c":5}})");
  const Document d = with_extends(Document::load(folder / "mine.json"), "model", folder);
  EXPECT_EQ(d.json().dump(), R"({"a":1,"b":{"c":5,"d":3}})");
  EXPECT_TRUE(d.name().ends_with("mine.json"));
  EXPECT_NE(error_of([&] { resolve_named_file("bas", folder, "model"); }).find("did you mean \"base\"?"), std::string::npos);
}

TEST_F(Folder, ACircleOfExtendsIsToldWithItsFiles) {
  const auto error = [&](const char* file) { return error_of([&] { with_extends(Document::load(folder / file), "model", folder); }); };
  const std::string at = folder.string() + "/";
  write_file(folder / "self.json", R"({"extends":"self"})");
  EXPECT_EQ(error("self.json"), at + "self.json: extends: found \"self\", which closes a circle: " + at + "self.json -> " + at + "self.json");
  write_file(folder / "first.json", R"({"extends":"./a.json"})");
  write_file(folder / "a.json", R"({"extends":"b"})");
  write_file(folder / "b.json", R"({"extends":"../)" + folder.filename().string() + R"(/a.json"})");
  EXPECT_EQ(error("first.json"), at + "b.json: extends: found \"../" + folder.filename().string() + "/a.json\", which closes a circle: " + at + "a.json -> " + at +
                                     "b.json -> " + at + "a.json");
}

TEST_F(Folder, AChainMayBeSixteenLongAndEndsInObjects) {
  for (int i = 0; i < 20; ++i) write_file(folder / ("c" + std::to_string(i) + ".json"), i == 0 ? "{}" : "{\"extends\":\"c" + std::to_string(i - 1) + "\"}");
  const auto error = [&](const std::string& file) { return error_of([&] { with_extends(Document::load(folder / file), "model", folder); }); };
  EXPECT_EQ(error("c15.json"), "no error");
  EXPECT_EQ(error("c16.json"), (folder / "c16.json").string() + ": extends: found a chain of more than 16 files");
  write_file(folder / "list.json", "[]");
  write_file(folder / "over.json", R"({"extends":"list"})");
  EXPECT_EQ(error("over.json"), (folder / "list.json").string() + ": found an array, allowed is a JSON object");
}

TEST_F(Folder, FilesAreWholeOrAbsent) {
  {
    OutputFile file(folder / "a.txt");
    file.stream() << "half";
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  write_file(folder / "a.txt", "whole");
  write_file(folder / "a.txt", "again");
  EXPECT_EQ(std::filesystem::file_size(folder / "a.txt"), 5u);
  EXPECT_EQ(error_of([&] { write_file(folder / "no" / "a.txt", "x"); }), "cannot write " + (folder / "no" / "a.txt").string() + ": No such file or directory");
  using std::filesystem::perms;
  std::filesystem::permissions(folder / "a.txt", perms::owner_read | perms::owner_write);
  write_file(folder / "a.txt", "private");
  EXPECT_EQ(std::filesystem::status(folder / "a.txt").permissions(), perms::owner_read | perms::owner_write);
  EXPECT_EQ(error_of([&] { write_file("/dev/full", "x"); }), "cannot write /dev/full: No space left on device");
}

TEST_F(Folder, AWriteThatIsKilledLeavesNothing) {
  const int probe = open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without names";
  close(probe);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const pid_t child = fork();
    if (child == 0) {
      OutputFile file(folder / "a.txt");
      file.stream() << "half" << std::flush;
      raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << signal;
  }
}

TEST_F(Folder, ADiskThatFillsLeavesTheOldFile) {
  write_file(folder / "a.txt", "old");
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  // Below and far above the stream's buffer: the write fails at commit and long before it.
  for (const std::size_t size : {100'001u, 1'000'000u}) {
    const std::string error = error_of([&] {
      OutputFile file(folder / "a.txt");
      for (std::size_t i = 0; i < size; ++i) file.stream() << 'x';
      file.commit();
    });
    EXPECT_EQ(error, "cannot write " + (folder / "a.txt").string() + ": File too large") << size;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(std::filesystem::file_size(folder / "a.txt"), 3u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

}  // namespace
}  // namespace moesim
