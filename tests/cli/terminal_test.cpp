// Nothing that a user's file, key, name or argument holds acts on the terminal: it is shown, on its line.
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

const std::string kEvil = "red\x1b[31m\x07title\xc2\x9b" "2J\x7f\xe2\x80\xae" "dlrow";   // ESC, bell, C1 control, DEL, right-to-left override
const std::string kShown = "red\\x1b[31m\\x07title\\xc2\\x9b2J\\x7f\\xe2\\x80\\xaedlrow";

std::string json_escaped() { return "red\\u001b[31m\\u0007title\\u009b2J\\u007f\\u202edlrow"; }

void expect_harmless(const ProgramRun& r) {
  for (const std::string& text : {r.out, r.err}) {   // escaped, not gone
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') << int{c};
    EXPECT_EQ(text.find('\x7f'), std::string::npos);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
}

std::string scenario(const std::string& name, const std::string& more = "") {
  return R"({"kind": "train", "name": ")" + name + R"(", "model": "qwen3-8b", "hardware": "dgx-h100", "gpus": 8, "batch": {"global_batch_size": 16})" + more + "}";
}

TEST(Terminal, NamesOfScenariosAreShown) {
  const Scratch scratch;
  put_text(scratch / "s.json", scenario(json_escaped()));
  for (const std::vector<std::string>& args : {std::vector<std::string>{"train", scratch / "s.json", "--allow-oom"},
                                               {"memory", scratch / "s.json"},
                                               {"compare", scratch / "s.json", scratch / "s.json"},
                                               {"train", scratch / "s.json", "--allow-oom", "--csv", "-"}}) {
    const ProgramRun r = moesim_run(args);
    expect_harmless(r);
    EXPECT_NE(r.out.find(kShown), std::string::npos) << r.out;
  }
}

TEST(Terminal, ANewLineInANameMakesNoLineOfTheReport) {
  const Scratch scratch;
  put_text(scratch / "s.json", scenario("a\\n  step time      0.01 s"));
  EXPECT_EQ(lines_of(moesim_run({"train", scratch / "s.json", "--allow-oom"}).out)[0], "a\\x0a  step time      0.01 s");
}

TEST(Terminal, NamesOfFilesAreShown) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / (kEvil + "\n.json");
  put_text(file, R"({"kind": "train", "model": "qwen3-8b", "hardware": "dgx-h100", "gpus": 8, "batch": {"global_batch_size": 16}})");
  for (const char* command : {"train", "memory"}) {
    const ProgramRun r = moesim_run({command, file, "--gpus", "16"});
    expect_harmless(r);
    EXPECT_NE(r.out.find(kShown + "\\x0a"), std::string::npos) << r.out;
  }
  const ProgramRun absent = moesim_run({"train", scratch / (kEvil + "\n-absent.json")});
  expect_harmless(absent);
  EXPECT_EQ(lines_of(absent.err).size(), 1u) << absent.err;
}

TEST(Terminal, KeysAndValuesInErrorsAndWarningsAreShown) {
  const Scratch scratch;
  put_text(scratch / "key.json", scenario("s", ", \"" + json_escaped() + "\": 1"));
  put_text(scratch / "value.json", scenario("s", ", \"overlap\": {\"tp\": \"" + json_escaped() + "\"}"));
  put_text(scratch / "model.json", "{\"extends\": \"qwen3-8b\", \"" + json_escaped() + "\": 1}");
  put_text(scratch / "hw.json", "{\"extends\": \"dgx-h100\", \"name\": \"" + json_escaped() + "\", \"description\": \"" + json_escaped() + "\"}");
  for (const std::vector<std::string>& args : {std::vector<std::string>{"train", scratch / "key.json"}, {"train", scratch / "value.json"},
                                               {"model", scratch / "model.json"}, {"hw", scratch / "hw.json"}, {kEvil}, {"list", kEvil},
                                               {"train", "--" + kEvil}, {"train", "--set", kEvil}, {"train", kEvil}}) {
    const ProgramRun r = moesim_run(args);
    expect_harmless(r);
    EXPECT_NE((r.out + r.err).find("\\x1b[31m"), std::string::npos) << args[0] << r.out << r.err;
  }
}

TEST(Terminal, ArgumentsThatAreNotTextAreRefusedInOneLine) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"train", "--model", "\xff", "--hw", "dgx-h100"}, {"train", "first-moe-8xh100", "--set", "name=\xff"}, {"\xff"}}) {
    const ProgramRun r = moesim_run(args);
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(lines_of(r.err).size(), 1u);
    EXPECT_NE(r.err.find("\\xff\", allowed is UTF-8"), std::string::npos) << r.err;
  }
}

TEST(Terminal, JsonOnStandardOutputStaysJson) {
  const Scratch scratch;
  put_text(scratch / "s.json", scenario(json_escaped(), ", \"description\": \"" + json_escaped() + "\""));
  const ProgramRun r = moesim_run({"train", scratch / "s.json", "--allow-oom", "--json", "-"});
  EXPECT_EQ(r.status, 0) << r.err;
  expect_harmless(r);
  EXPECT_EQ(Json::parse(r.out).at("scenario").at("description").get<std::string>(), kEvil);
  EXPECT_EQ(Json::parse(r.out).at("name").get<std::string>(), kShown);
}

}  // namespace
}  // namespace moesim
