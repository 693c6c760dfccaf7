// `moesim validate` as a program: --check and its exit status, --json, a row file that is broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSource = MOESIM_SOURCE_DIR;

/// The data of the source tree with one published row and a bound of its own.
class OneRow {
 public:
  OneRow(const std::string& mape, const std::string& worst) {
    for (const char* folder : {"models", "hw_profiles"}) fs::create_directory_symlink(kSource / folder, scratch_ / folder);
    fs::create_directories(published());
    fs::copy_file(kSource / "validate/published/card-qwen3-8b-h100x16-pretrain.json", published() / "row.json");
    std::ofstream(published() / "not_expressible.json") << R"({"rows": []})";
    std::ofstream(published() / "bounds.json") << R"({"dense Hopper": {"rows": 1, "history": [{"date": "today", "mape": )" << mape << R"(, "worst": )" << worst << "}]}}";
  }
  fs::path published() const { return fs::path(scratch_ / "validate/published"); }
  ProgramRun run(std::vector<std::string> more) const {
    std::vector<std::string> args{"validate", "published"};
    args.insert(args.end(), more.begin(), more.end());
    return moesim_run(args, {.environment = {{"MOESIM_DATA", scratch_.path()}}});
  }

 private:
  Scratch scratch_;
};

TEST(Validate, CheckPassesWithinTheBound) {
  const ProgramRun r = OneRow("50", "50").run({"--check"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out, HasSubstr("\ndense Hopper     1 "));
}

TEST(Validate, CheckExitsWithOneAndNamesTheRowThatMissesTheBound) {
  const OneRow data("0", "0");
  const ProgramRun r = data.run({"--check"});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("moesim: bound missed: dense Hopper: mean |error| "));
  EXPECT_THAT(r.err, HasSubstr("(row), the bound is 0"));
  EXPECT_EQ(data.run({}).status, 0) << "only --check decides";
}

TEST(Validate, JsonHasTheKeysThatOthersRelyOn) {
  const ProgramRun r = OneRow("50", "50").run({"--json", "-"});
  ASSERT_EQ(r.status, 0) << r.err;
  const Json j = Json::parse(r.out);
  ASSERT_EQ(j["rows"].size(), 1u);
  const Json& row = j["rows"][0];
  for (const char* key : {"id", "metric", "unit", "predicted", "measured", "error", "interval", "group", "tier"}) EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_DOUBLE_EQ(row["error"].get<double>(), row["predicted"].get<double>() / row["measured"].get<double>() - 1);
  EXPECT_EQ(j["summary"][0]["worst_id"], "row");
}

TEST(Validate, ABrokenRowIsOneLineThatNamesItsFile) {
  const OneRow data("50", "50");
  std::ofstream(data.published() / "row.json") << R"({"group": "g", "tier": 1, "scenario": {"kind": "train"}})";
  const ProgramRun r = data.run({});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "moesim: " + (data.published() / "row.json").string() + ": measured: missing\n");
}

TEST(Validate, SaysWhatCanBeValidated) {
  EXPECT_EQ(moesim_run({"validate"}).err, "moesim: validate: expected what to validate: published\n");
  EXPECT_EQ(moesim_run({"validate", "publishd"}).err, "moesim: validate: found \"publishd\", allowed is published\n");
}

}  // namespace
}  // namespace moesim
