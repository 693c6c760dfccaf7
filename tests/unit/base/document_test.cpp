#include "base/document.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

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
  EXPECT_EQ(parse_error(R"({"a":1,"a":2})"), "a.json: the key \"a\" stands twice in one object");
  EXPECT_EQ(parse_error(std::string(65, '[')), "a.json: nested more than 64 levels deep");
  EXPECT_EQ(parse_error(R"({"a":123456789012345678901234567890})"), "a.json: the number 123456789012345678901234567890 does not fit into 64 bits");
  EXPECT_TRUE(parse_error(R"({"a":NaN})").starts_with("a.json:1:6: not JSON: invalid literal")) << parse_error(R"({"a":NaN})");
  EXPECT_TRUE(parse_error("{\n \"a\": 1\n").starts_with("a.json:3:1: not JSON: unexpected end of input")) << parse_error("{\n \"a\": 1\n");
  EXPECT_TRUE(parse_error("{} {}").starts_with("a.json:1:4: not JSON: ")) << parse_error("{} {}");
  EXPECT_NE(parse_error("{\"a\": \"\xff\"}"), "no error");
  EXPECT_NE(parse_error("1e999"), "no error");
}

TEST(Document, TenMegabytesOfBracketsGiveOneShortLine) {
  const std::string error = parse_error(std::string(10'000'000, '['));
  EXPECT_EQ(error, "a.json: nested more than 64 levels deep");
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
  EXPECT_EQ(error_of([&] { write_file("/dev/full", "x"); }), "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace moesim
