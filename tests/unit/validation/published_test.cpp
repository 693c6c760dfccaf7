// The published rows themselves: every row runs, and the errors are those that were reported.
#include "validation/published.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "analysis/interval.h"
#include "base/error.h"
#include "train/scenario.h"
#include "unit/validation/shown_figures.h"
#include "validation/bounds.h"
#include "validation/residuals.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;
const std::filesystem::path kGolden = kData / "tests" / "golden" / "validation" / "published.txt";

/// "dense Hopper; 20; 8.7; 7.0": rows, mean |error| and bias in percent.
std::map<std::string, std::array<double, 3>> golden() {
  std::map<std::string, std::array<double, 3>> out;
  std::ifstream in(kGolden);
  for (std::string line; std::getline(in, line);) {
    std::array<double, 3> v{};
    const std::size_t end = line.find(';');
    char separator;
    std::istringstream(line.substr(end + 1)) >> v[0] >> separator >> v[1] >> separator >> v[2];
    out[line.substr(0, end)] = v;
  }
  return out;
}

void update_golden(const ValidationReport& report) {
  std::filesystem::create_directories(kGolden.parent_path());
  std::ofstream out(kGolden);
  char line[128];
  for (const GroupSummary& g : report.summary) {
    std::snprintf(line, sizeof line, "%s; %lld; %.1f; %.1f\n", g.group.c_str(), static_cast<long long>(g.rows), 100 * g.mape, 100 * g.bias);
    out << line;
  }
}

std::string text_of(const std::filesystem::path& file) {
  std::stringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

void expect_shown(const ValidationReport& report, const std::filesystem::path& readme) {
  const std::string shown = text_of(readme), now = test::with_figures_of(report, shown);
  for (const GroupSummary& g : report.summary) EXPECT_NE(shown.find("\n| " + g.group + " | "), std::string::npos) << readme << " lacks " << g.group;
  if (std::getenv("MOESIM_UPDATE_GOLDEN")) {
    std::ofstream(readme) << now;
    return;
  }
  std::istringstream before(shown), after(now);
  for (std::string a, b; std::getline(before, a) && std::getline(after, b);) EXPECT_EQ(a, b) << readme << ": tests/run --update-golden rewrites it";
}

// One test, because running all rows takes seconds.
TEST(Published, RowsGiveTheReportedErrorsWithinTheirBounds) {
  const ValidationReport report = validate_published(kData);
  if (std::getenv("MOESIM_UPDATE_GOLDEN")) update_golden(report);
  const auto expected = golden();
  EXPECT_EQ(report.summary.size(), expected.size());
  constexpr double kTolerance = 1.5;  // percentage points: a change of the model shows up, rounding does not
  for (const GroupSummary& g : report.summary) {
    ASSERT_TRUE(expected.count(g.group)) << g.group;
    EXPECT_EQ(static_cast<double>(g.rows), expected.at(g.group)[0]) << g.group;
    EXPECT_NEAR(100 * g.mape, expected.at(g.group)[1], kTolerance) << g.group;
    EXPECT_NEAR(100 * g.bias, expected.at(g.group)[2], kTolerance) << g.group;
  }
  EXPECT_EQ(missed_bounds(bounded_summaries(report), read_bounds(kData / "validate/published/bounds.json"), true), std::vector<std::string>{});

  // analysis/interval.cpp holds what `moesim validate published --residuals` prints
  const auto expect_kept = [&](const std::vector<double>& errors, const ErrorSpread& kept) {
    const ErrorSpread now = spread_of(errors);
    EXPECT_EQ(now.rows, kept.rows);
    EXPECT_NEAR(now.p10, kept.p10, 0.02);
    EXPECT_NEAR(now.p90, kept.p90, 0.02);
    EXPECT_EQ(count_inside(errors, kept), kept.inside) << residuals_text(report.rows);   // reports say so
  };
  for (const bool moe : {false, true}) expect_kept(step_errors(report.rows, moe), published_error_spread(moe));
  expect_kept(peak_errors(report.rows), published_peak_spread());
  EXPECT_EQ(static_cast<std::int64_t>(report.memory.size()), published_peak_models());
  expect_shown(report, kData / "README.md");
  expect_shown(report, kData / "validate" / "README.md");
  for (const GroupSummary& m : report.memory) EXPECT_NE(text_of(kData / "validate" / "README.md").find("\n| " + m.group + " | "), std::string::npos) << m.group;
  for (const ValidationRow& r : report.rows) {
    EXPECT_LT(r.interval_low, r.predicted) << r.id;
    EXPECT_GT(r.interval_high, r.predicted) << r.id;
  }
}

TEST(Published, ReportsKnowOnWhichMachinesRowsRan) {
  std::map<bool, std::set<std::string>> ran;
  std::set<std::string> peaks;
  for (const PublishedRow& r : read_published_rows(kData / "validate" / "published")) {
    const TrainScenario s = read_train_scenario(r.scenario, kData);
    const std::string machine = s.hardware.name.substr(0, s.hardware.name.find(','));   // without ", changed"
    ran[s.model.moe() != nullptr].insert(machine);
    if (r.measured_memory) peaks.insert(machine);
  }
  for (const bool moe : {false, true})
    for (const std::string& machine : hw_profile_names(kData)) EXPECT_EQ(published_on(machine, moe), ran[moe].count(machine) == 1) << machine << ", moe " << moe;
  for (const std::string& machine : hw_profile_names(kData)) EXPECT_EQ(published_peak_on(machine), peaks.count(machine) == 1) << machine;
}

TEST(Published, RowsAndLeftOutRowsAreDisjointAndGiveReasons) {
  std::set<std::string> ids;
  for (const PublishedRow& r : read_published_rows(kData / "validate" / "published")) {
    EXPECT_TRUE(ids.insert(r.id).second) << r.id;
    EXPECT_GE(r.measured.source.size(), 10u) << r.id;
  }
  for (const LeftOutRow& r : read_left_out_rows(kData / "validate" / "published" / "not_expressible.json")) {
    EXPECT_TRUE(ids.insert(r.id).second) << r.id << " is left out and a row, or stands twice";
    EXPECT_FALSE(r.reason.empty()) << r.id;
  }
  EXPECT_GT(ids.size(), 116u) << "every row of the published set is one or the other";
}

TEST(Published, OneGroupCanBeRun) {
  const ValidationReport report = validate_published(kData, "MoE launch-bound");
  EXPECT_EQ(report.summary.size(), 1u);
  EXPECT_EQ(report.summary[0].group, "MoE launch-bound");
}

TEST(Published, UnknownGroupsAreRefusedByName) {
  try {
    validate_published(kData, "dense Hoper");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.substr(0, 39), "--group: found \"dense Hoper\", allowed a") << what;
    EXPECT_NE(what.find("; did you mean \"dense Hopper\"?"), std::string::npos) << what;
  }
}

TEST(Published, ABrokenScenarioOfARowIsOneLineWithItsFile) {
  PublishedRow row = read_published_row(kData / "validate/published/card-qwen3-8b-h100x16-pretrain.json");
  row.scenario = Document::parse(R"({"kind": "train", "gpu": 8})", "row.json: scenario");
  try {
    validate_row(row, kData);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "row.json: scenario: gpu: unknown key; did you mean \"gpus\"?");
  }
}

}  // namespace
}  // namespace moesim
