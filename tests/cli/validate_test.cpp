// `moesim validate` as a program: --check and its exit status, --json, a row file that is broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(moesim_run({"validate"}).err, "moesim: validate: expected what to validate: published or kernels\n");
  EXPECT_EQ(moesim_run({"validate", "publishd"}).err, "moesim: validate: found \"publishd\", allowed is published or kernels; did you mean \"published\"?\n");
  EXPECT_EQ(moesim_run({"validate", "kernels", "--check"}).err, "moesim: --check: only with validate published\n");
  EXPECT_EQ(moesim_run({"validate", "published", "--device", "h100_sxm"}).err, "moesim: --device: only with validate kernels\n");
  EXPECT_EQ(moesim_run({"validate", "published", "--cliffs"}).err, "moesim: --cliffs: only with validate kernels\n");
}

TEST(Validate, RowsInAnyOrderStandUnderOneHeadingEach) {
  const Scratch scratch;
  std::string rows = "system,framework,kernel,dtype,m,n,k,latency_us\n";
  for (const char* dtype : {"bf16", "fp8"})
    for (const char* device : {"h100_sxm", "h200_sxm"})
      for (const char* kernel : {"mine", "yours"}) rows += std::string(device) + ",f," + kernel + "," + dtype + ",64,512,512,5\n";
  put_text(scratch / "a.csv", rows);
  put_text(scratch / "b.csv", "system,framework,kernel,kv_dtype,batch,kv_len,heads,kv_heads,head_dim,latency_us\nh100_sxm,f,mine,bf16,1,128,32,4,128,14\n");
  put_text(scratch / "c.csv", rows);
  const std::string out = moesim_run({"validate", "kernels", "--data", scratch.path()}).out;
  const auto times = [&](const std::string& text) {
    int n = 0;
    for (std::size_t at = 0; (at = out.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(times("gemm, h100_sxm\n"), 1) << out;
  EXPECT_EQ(times("gemm, h200_sxm\n"), 1);
  EXPECT_EQ(times("  f mine: "), 3);   // on two devices, and decode
  EXPECT_EQ(times("  f yours: "), 2);
}

TEST(Validate, ScoresYourOwnTimingsByTheShippedCurves) {
  const Scratch scratch;
  const std::string columns = "system,framework,kernel,dtype,m,n,k,latency_us\n", library = "h100_sxm,trtllm-1.3.0rc20,torch_flow,bfloat16,";
  // Of the first case the shipped table says 3.47 us; n 640 is in none.
  put_text(scratch / "mine.csv", "# a remark\n" + columns + library + "1,512,512,3.47\n" + library + "1,640,512,3.6\n" +
                                     "h100_sxm,mine-1,gemm,bfloat16,1,512,512,3.47\nalps-gh200,mine-1,gemm,bfloat16,64,512,512,5\nmi300x,mine-1,gemm,bfloat16,64,512,512,5\n");
  put_text(scratch / "other.csv", "a,b\n1,2\n");
  put_text(scratch / "ragged.csv", "c,d\n\"1, 2\",3,4\n");   // no table of timings: whatever its rows are
  put_text(scratch / "twice.csv", "c,c\n1,2\n");
  put_text(scratch / "near.csv", "system,framework,dtype,m,n,k,latency_us\n");
  const ProgramRun text = moesim_run({"validate", "kernels", "--data", scratch.path()});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("gemm, h100_sxm\n  trtllm-1.3.0rc20 torch_flow\n"));
  EXPECT_THAT(text.out, HasSubstr("  mine-1 gemm: by the curve of trtllm-1.3.0rc20 torch_flow\n"));
  EXPECT_THAT(text.out, HasSubstr("gemm, alps-gh200\n  mine-1 gemm: by the curve of trtllm-1.3.0rc20 torch_flow on h200_sxm\n"));
  EXPECT_THAT(text.out, HasSubstr("skipped: mine.csv, mi300x: no device of a table and no machine\n"));
  EXPECT_THAT(text.out, HasSubstr("skipped: near.csv: as a table of gemm it lacks kernel\n"));
  EXPECT_THAT(text.out, HasSubstr("skipped: ragged.csv: has the columns of no kind of table (c, ...)\n"));
  EXPECT_THAT(text.out, HasSubstr("skipped: twice.csv: column \"c\" stands there twice\n"));
  EXPECT_THAT(text.out, HasSubstr("skipped: other.csv: has the columns of no kind of table (a, ...)\n"));
  const Json json = Json::parse(moesim_run({"validate", "kernels", "--data", scratch.path(), "--json", "-"}).out);
  ASSERT_EQ(json["scores"].size(), 3U);
  EXPECT_EQ(json["scores"][0]["used"]["rows"], 1);
  EXPECT_LT(json["scores"][0]["used"]["mean"], 0.05);
  EXPECT_EQ(json["scores"][0]["left_out"]["rows"], 1);
  EXPECT_LT(json["scores"][0]["left_out"]["mean"], 0.1);
  EXPECT_EQ(json["scores"][1]["used"]["rows"], 0);
  EXPECT_LT(json["scores"][1]["left_out"]["mean"], 0.05);
  EXPECT_EQ(json["scores"][2]["model"], "curve of trtllm-1.3.0rc20 torch_flow on h200_sxm");
  EXPECT_TRUE(json["scores"][2]["used"]["mean"].is_null());   // no row, no error
  EXPECT_EQ(json["skipped"].size(), 5U);
  const ProgramRun csv = moesim_run({"validate", "kernels", "--data", scratch.path(), "--csv", "-"});
  EXPECT_EQ(lines_of(csv.out).size(), 1U + 3 + 5);
  EXPECT_THAT(csv.out, HasSubstr("\"skipped\",\"mine.csv, mi300x\",,,,\"no device of a table and no machine\",,"));
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  const Json& last = json["skipped"][4];
  EXPECT_EQ(commas(lines_of(csv.out)[0]), commas(lines_of(csv.out).back()) - commas(last["what"].get<std::string>()) - commas(last["why"].get<std::string>()));
  const ProgramRun none = moesim_run({"validate", "kernels", "--data", scratch.path(), "--table", "attention"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("moesim: --data: found no row to score in " + scratch.path().string()));
  EXPECT_EQ(none.out, "");
}

TEST(Validate, UsesTheWidthOfTheTerminal) {
  const auto widest = [](const char* columns) {
    std::size_t out = 0;
    for (const std::string& line : lines_of(moesim_run({"validate", "published", "--group", "MoE drop Hopper"}, {.environment = {{"COLUMNS", columns}}}).out)) out = std::max(out, line.size());
    return out;
  };
  EXPECT_LE(widest("80"), 80U);
  EXPECT_GT(widest("120"), 80U);
  EXPECT_LE(widest("120"), 120U);
}

TEST(Validate, WritesCurvesIntoAFolderThatIsThere) {
  const ProgramRun r = moesim_run({"validate", "kernels", "--write", "/no/folder"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "moesim: --write: found \"/no/folder\", allowed is a folder that is there\n");
}

TEST(Validate, SaysWhatIsWrongWithTimings) {
  const Scratch scratch;
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"validate", "kernels", "--data", scratch.path()};
    args.insert(args.end(), more.begin(), more.end());
    const ProgramRun r = moesim_run(args);
    EXPECT_EQ(r.status, 2);
    return r.err;
  };
  EXPECT_EQ(error({}), "moesim: " + scratch.path().string() + ": found no table, allowed are files NAME.csv and NAME.csv.xz\n");
  const std::string file = scratch / "a.csv";
  put_text(file, "system,framework,kernel,dtype,m,n,k,latency_us\nh100_sxm,f,k,bfloat16,0,512,512,5\n");
  EXPECT_EQ(error({}), "moesim: " + file + ":2: m: found \"0\", allowed is an integer from 1 to 2147483648\n");
  put_text(file, "system,framework,kernel,dtype,m,n,k,latency_us\nh100_sxm,f,k,bfloat16,1,512,512,5\n");
  EXPECT_EQ(error({"--device", "h100"}), "moesim: --device: found \"h100\", allowed is h100_sxm; did you mean \"h100_sxm\"?\n");
  EXPECT_EQ(error({"--table", "gem"}), "moesim: --table: found \"gem\", allowed is alps, attention, custom_allreduce, decode, deepep_low_latency, deepep_normal, gemm, mla, moe, moe_alltoall, nccl, nccl_multinode, quantize, training; did you mean \"gemm\"?\n");
  EXPECT_EQ(error({"--table", ""}), "moesim: --table: found \"\", allowed is the name of a kind of table\n");
  EXPECT_EQ(moesim_run({"validate", "kernels", "--data", "/no/folder"}).err, "moesim: /no/folder: found no folder of tables\n");
}

}  // namespace
}  // namespace moesim
