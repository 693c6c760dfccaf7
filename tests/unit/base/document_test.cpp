#include "base/document.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

#include <sys/resource.h>

#include "base/error.h"
#include "base/json.h"
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
  EXPECT_EQ(error_of([&] { d.with("n.x=1"); }), "--set: found \"n.x=1\", but \"x\" would stand inside number");
  EXPECT_EQ(error_of([&] { d.with("parallel.ep"); }), "--set: found \"parallel.ep\", allowed is path=value such as parallel.ep=16");
  EXPECT_NE(error_of([&] { d.with("a..b=1"); }), "no error");
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

TEST_F(Folder, ExtendsMergesAndRefusesCycles) {
  write_file(folder / "base.json", R"({"a":1,"b":{"c":2,"d":3}})");
  write_file(folder / "mine.json", R"({"extends":"base","b":{"c":5}})");
  write_file(folder / "loop.json", R"({"extends":"loop"})");
  const Document d = with_extends(Document::load(folder / "mine.json"), folder, "model");
  EXPECT_EQ(d.json().dump(), R"({"a":1,"b":{"c":5,"d":3}})");
  EXPECT_TRUE(d.name().ends_with("mine.json"));
  EXPECT_NE(error_of([&] { with_extends(Document::load(folder / "loop.json"), folder, "model"); }).find("cycle"), std::string::npos);
  EXPECT_NE(error_of([&] { resolve_named_file("bas", folder, "model"); }).find("did you mean \"base\"?"), std::string::npos);
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
