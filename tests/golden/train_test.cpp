// A few readable numbers of every shipped training scenario. They are the same digits on every compiler. With MOESIM_UPDATE_GOLDEN set
// (tests/run --update-golden) the file is rewritten and the difference printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "base/json.h"
#include "base/unit_text.h"
#include "support/program.h"

namespace moesim {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(MOESIM_SOURCE_DIR) / "tests/golden/train.txt";

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string row(const std::string& name, const std::vector<std::string>& cells) {
  std::string out = name + std::string(name.size() < 34 ? 34 - name.size() : 1, ' ');
  for (const std::string& c : cells) out += padded(c, 18);
  return out;
}

std::string measured(const std::string& scenario) {
  const ProgramRun r = moesim_run({"train", scenario, "--allow-oom", "--json", "-"});
  if (r.status != 0) return row(scenario, {r.err.substr(0, r.err.find('\n'))});
  const Json j = Json::parse(r.out);
  const auto number = [&](const char* key) { return j.at(key).get<double>(); };
  char step[32];
  std::snprintf(step, sizeof step, "%.12f", number("step_time_s"));   // every picosecond
  return row(scenario, {step, significant(number("tflops_per_gpu"), 6), significant(number("mfu"), 6), significant(number("bubble_fraction"), 6),
                        significant(number("peak_memory_bytes") / (1 << 30), 6)});
}

TEST(Golden, TrainingScenariosGiveTheNumbersOnRecord) {
  std::vector<std::string> now{row("# scenario", {"step_time_s", "tflops_per_gpu", "mfu", "bubble_fraction", "peak_memory_gib"})};
  for (const std::string& s : lines_of(moesim_run({"list", "scenarios"}).out)) now.push_back(measured(s.substr(0, s.find(' '))));
  const std::vector<std::string> before = lines_of(file_text(kGolden));
  const bool update = std::getenv("MOESIM_UPDATE_GOLDEN") != nullptr;
  std::string all, difference;
  for (const std::string& line : now) all += line + "\n";
  for (const std::string& line : before)
    if (std::find(now.begin(), now.end(), line) == now.end()) difference += "- " + line + "\n";
  for (const std::string& line : now)
    if (std::find(before.begin(), before.end(), line) == before.end()) difference += "+ " + line + "\n";
  if (update) {
    put_text(kGolden, all);
    std::fputs(difference.empty() ? "tests/golden/train.txt: no change\n" : difference.c_str(), stdout);
    return;
  }
  EXPECT_EQ(difference, "") << "If the change is meant: tests/run --update-golden\n";
  EXPECT_GE(now.size(), 11u);
}

TEST(Golden, TheReadmeCountsTheKernelsAndEventsThatARunCounts) {
  const std::filesystem::path file = std::filesystem::path(MOESIM_SOURCE_DIR) / "README.md";
  const Json engine = Json::parse(moesim_run({"train", "deepseek-v3-2048xh800", "--json", "-"}).out).at("engine");
  const std::string readme = file_text(file), now = std::regex_replace(
      readme, std::regex("`fold`: [0-9.]+ M kernels, at most [0-9,]+ events pending"),
      "`fold`: " + significant(engine.at("kernels").get<double>() * 1e-6, 2) + " M kernels, at most " + engine.at("max_pending").dump() + " events pending");
  EXPECT_NE(readme.find("`fold`: "), std::string::npos);
  if (std::getenv("MOESIM_UPDATE_GOLDEN")) put_text(file, now);
  else EXPECT_TRUE(readme == now) << "README.md says other counts than a run: tests/run --update-golden";
}

}  // namespace
}  // namespace moesim
