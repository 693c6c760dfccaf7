// `moesim train` and its kin as programs: what they print, what they write, and that a run is a function of its input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "support/program.h"

namespace moesim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// One node, two micro-batches: a run of some milliseconds.
std::vector<std::string> small(std::vector<std::string> more = {}) {
  std::vector<std::string> out{"train", "first-moe-8xh100", "--global-batch-size", "16"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Train, TwoRunsPrintTheSameBytes) {
  const Scratch scratch;
  const auto outputs = [&](const std::string& name) {
    const ProgramRun r = moesim_run(small({"--json", scratch / (name + ".json"), "--csv", scratch / (name + ".csv"), "--trace", scratch / (name + ".trace")}));
    EXPECT_EQ(r.status, 0) << r.err;
    return r.out + file_text(scratch / (name + ".json")) + file_text(scratch / (name + ".csv")) + file_text(scratch / (name + ".trace"));
  };
  const std::string first = outputs("a");
  EXPECT_GT(first.size(), 10'000u);
  EXPECT_TRUE(first == outputs("b"));
}

TEST(Train, TheSeedMovesARandomLoadAndNothingElse) {
  const auto step = [](const std::string& law, const std::string& seed) {
    const ProgramRun r = moesim_run(small({"--set", "moe.load.law=" + law, "--seed", seed, "--json", "-"}));
    EXPECT_EQ(r.status, 0) << r.err;
    return Json::parse(r.out).at("step_time_s").get<double>();
  };
  EXPECT_NE(step("multinomial", "1"), step("multinomial", "2"));
  EXPECT_EQ(step("multinomial", "1"), step("multinomial", "1"));
  EXPECT_EQ(step("balanced", "1"), step("balanced", "2"));
}

TEST(Train, JsonHasTheKeysThatOthersRelyOn) {
  const ProgramRun r = moesim_run(small({"--json", "-"}));
  ASSERT_EQ(r.status, 0) << r.err;
  const Json j = Json::parse(r.out);
  for (const char* key : {"version", "name", "model", "hardware", "stack", "gpus", "detail", "seed", "step_time_s", "tokens_per_s", "tokens_per_s_per_gpu",
                          "tflops_per_gpu", "mfu", "hfu", "bubble_fraction", "fits", "peak_memory_bytes", "memory_capacity_bytes", "memory", "time_by_class_s",
                          "exposed_comm_s", "waterfall", "critical_path", "moe", "provenance", "engine", "scenario", "warnings"})
    EXPECT_TRUE(j.contains(key)) << key;
  // 16 sequences of 4096 tokens in a step.
  EXPECT_NEAR(j["tokens_per_s"].get<double>() * j["step_time_s"].get<double>(), 16 * 4096, 1e-6 * 16 * 4096);
  double classes = 0, bars = 0;
  for (const auto& [name, s] : j["time_by_class_s"].items()) classes += s.get<double>();
  for (const Json& bar : j["waterfall"]) bars += bar["seconds"].get<double>();
  EXPECT_NEAR(classes, j["step_time_s"].get<double>(), 1e-9);
  EXPECT_NEAR(bars, j["step_time_s"].get<double>(), 1e-9);
}

TEST(Train, CsvIsAHeaderAndALineOfTheSameNumbers) {
  const ProgramRun csv = moesim_run(small({"--csv", "-"}));
  const Json j = Json::parse(moesim_run(small({"--json", "-"})).out);
  const std::vector<std::string> lines = lines_of(csv.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(std::count(lines[0].begin(), lines[0].end(), ','), std::count(lines[1].begin(), lines[1].end(), ','));
  EXPECT_THAT(lines[0], HasSubstr(",step_time_s,"));
  EXPECT_THAT(lines[1], HasSubstr("," + j["step_time_s"].dump() + ","));
}

// Lines of any runs go under one header.
TEST(Train, CsvHasTheSameColumnsForEveryScenarioAndSaysWhatWasTurned) {
  const auto csv = [](const std::vector<std::string>& args) {
    std::vector<std::string> all{"train"};
    all.insert(all.end(), args.begin(), args.end());
    all.insert(all.end(), {"--csv", "-"});
    const ProgramRun r = moesim_run(all);
    EXPECT_EQ(r.status, 0) << r.err;
    return lines_of(r.out);
  };
  const std::vector<std::string> moe = csv({"first-moe-8xh100", "--ep", "4", "--set", "moe.capacity_factor=1.5"}), dense = csv({"first-moe-dense-twin-8xh100"});
  EXPECT_EQ(moe[0], dense[0]);
  EXPECT_THAT(moe[0], StartsWith("name,model,hardware,stack,gpus,tp,pp,vpp,ep,etp,schedule,seq_length,micro_batch_size,global_batch_size,compute,load_law,capacity_factor,dispatcher,recompute,"));
  EXPECT_THAT(moe[1], HasSubstr(",8,1,1,1,4,1,\"1f1b\",4096,"));
  EXPECT_THAT(moe[1], HasSubstr(",1.5,"));
  EXPECT_THAT(dense[1], HasSubstr(",\"bf16\",,,,"));
}

// Which file is meant does not depend on where the scenario lies.
TEST(Train, PathsOnTheCommandLineCountFromTheWorkingFolder) {
  const Scratch scratch;
  put_text(scratch / "mine.json", R"({"extends": "dgx-h100", "name": "mine", "gpu": {"usable_memory": 0.9}})");
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--hw", "mine.json"}, {"--set", "hardware=mine.json"}, {"--set", "hardware=./mine.json"}, {"--set", "hardware.extends=mine.json", "--set", "hardware.name=mine"}}) {
    std::vector<std::string> all = small(args);
    all.insert(all.end(), {"--json", "-"});
    const ProgramRun r = moesim_run(all, {.directory = scratch.path()});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(Json::parse(r.out).at("hardware"), "mine");
  }
}

// "What if the NIC were twice as fast": one number of a machine that is given by name.
TEST(Train, SetReachesIntoAModelAMachineAndAStackGivenByName) {
  const auto report = [](const std::vector<std::string>& set) {
    std::vector<std::string> args{"train", "qwen3-30b-a3b-16xh100", "--json", "-"};
    for (const std::string& s : set) args.insert(args.end(), {"--set", s});
    const ProgramRun r = moesim_run(args);
    EXPECT_EQ(r.status, 0) << r.err;
    return Json::parse(r.out);
  };
  const Json plain = report({});
  for (const char* set : {"hardware.scale_out.per_gpu=100 GB/s", "hardware.scale_out.levels[0].latency=50us", "model.num_hidden_layers=24", "stack.host_per_step=1 ms"})
    EXPECT_NE(report({set}).at("step_time_s"), plain.at("step_time_s")) << set;
  const Json both = report({"hardware.scale_out.per_gpu=100 GB/s", "hardware.scale_up.per_gpu=225 GB/s"});
  EXPECT_EQ(both.at("hardware"), "dgx-h100, changed");
  EXPECT_EQ(both.at("scenario").at("hardware").dump(), R"({"extends":"dgx-h100","scale_out":{"per_gpu":"100 GB/s"},"scale_up":{"per_gpu":"225 GB/s"}})");
}

TEST(Train, SamplesOfALoadThatIsNotRandomAreSaidToHaveNoEffect) {
  EXPECT_THAT(moesim_run(small({"--samples", "3", "--set", "moe.load.law=balanced"})).out, HasSubstr("--samples has no effect: nothing is drawn at random"));
  EXPECT_THAT(moesim_run(small({"--samples", "3"})).out, testing::Not(HasSubstr("has no effect")));
}

TEST(Train, ASavedScenarioGivesTheSameDigits) {
  const Scratch scratch;
  const std::string saved = scratch / "saved.json";
  const std::vector<std::string> flags{"train", "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "64", "--ep", "8", "--pp", "4", "--global-batch-size", "64",
                                       "--set", "moe.load.law=zipf", "--set", "recompute.granularity=full", "--seed", "7"};
  const auto with = [](std::vector<std::string> args, const std::vector<std::string>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  };
  const ProgramRun first = moesim_run(with(flags, {"--save", saved, "--json", scratch / "first.json"}));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Chosen by default"));
  const ProgramRun again = moesim_run({"train", saved, "--json", scratch / "again.json", "--save", scratch / "saved-again.json"});
  ASSERT_EQ(again.status, 0) << again.err;
  Json a = Json::parse(file_text(scratch / "first.json")), b = Json::parse(file_text(scratch / "again.json"));
  for (const char* key : {"step_time_s", "tokens_per_s", "tflops_per_gpu", "mfu", "peak_memory_bytes", "time_by_class_s", "memory", "seed", "layout"})
    EXPECT_EQ(a.at(key).dump(), b.at(key).dump()) << key;
  EXPECT_EQ(file_text(saved), file_text(scratch / "saved-again.json"));
}

TEST(Train, FlagsAndSetAreTheSameOverrides) {
  const ProgramRun flag = moesim_run({"train", "mixtral-8x7b-64xh100", "--global-batch-size", "128", "--json", "-"});
  const ProgramRun set = moesim_run({"train", "mixtral-8x7b-64xh100", "--set", "batch.global_batch_size=128", "--json", "-"});
  ASSERT_EQ(flag.status, 0) << flag.err;
  EXPECT_EQ(flag.out, set.out);
}

TEST(Train, ALayoutThatDoesNotFitSaysHowMuchAndExitsOne) {
  const std::vector<std::string> args{"train", "--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "8", "--global-batch-size", "8"};
  const ProgramRun r = moesim_run(args);
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, AllOf(StartsWith("moesim: does not fit: stage 0 needs "), HasSubstr(" too much. Largest: gradients "), EndsWith("; --allow-oom simulates it anyway\n")));
  EXPECT_EQ(lines_of(r.err).size(), 1u);

  std::vector<std::string> anyway = args;
  anyway.insert(anyway.end(), {"--allow-oom", "--json", "-"});
  const ProgramRun oom = moesim_run(anyway);
  ASSERT_EQ(oom.status, 0) << oom.err;
  EXPECT_FALSE(Json::parse(oom.out).at("fits").get<bool>());

  std::vector<std::string> memory = args;
  memory[0] = "memory";
  const ProgramRun table = moesim_run(memory);
  EXPECT_EQ(table.status, 1);
  EXPECT_THAT(table.out, HasSubstr("activations"));
  EXPECT_THAT(table.err, StartsWith("moesim: does not fit: "));
}

TEST(Train, ComparingWithAChangeNeedsNoSecondFile) {
  const Scratch scratch;
  const std::string changed = scratch / "changed.json";
  EXPECT_EQ(moesim_run({"train", "first-moe-8xh100", "--set", "moe.capacity_factor=2", "--set", "name=first-moe-8xh100 with moe.capacity_factor=2", "--save", changed}).status, 0);
  const ProgramRun change = moesim_run({"compare", "first-moe-8xh100", "--set-b", "moe.capacity_factor=2"});
  EXPECT_EQ(change.status, 0) << change.err;
  EXPECT_EQ(change.out, moesim_run({"compare", "first-moe-8xh100", changed}).out);
  EXPECT_EQ(moesim_run({"compare", "first-moe-8xh100"}).err, "moesim: compare: expected two scenarios, or one and --set-b\n");
}

TEST(Train, ComparingFlagsWithAChangeNeedsNoFile) {
  const std::vector<std::string> flags{"--model", "mixtral-8x7b", "--hw", "dgx-h100", "--gpus", "64", "--tp", "2", "--pp", "4", "--ep", "4", "--etp", "1"};
  std::vector<std::string> args{"compare"};
  args.insert(args.end(), flags.begin(), flags.end());
  EXPECT_EQ(moesim_run(args).err, "moesim: compare: expected two scenarios, or one and --set-b\n");
  args.insert(args.end(), {"--set-b", "moe.dispatcher=allgather"});
  const ProgramRun r = moesim_run(args);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("moe.dispatcher=allgather"));
  EXPECT_THAT(moesim_run({"compare", "--set-b", "moe.dispatcher=allgather"}).err, HasSubstr("expected a scenario"));
}

// More GPUs than a fabric level of the shipped machine holds, whose domains do not divide it.
TEST(Train, AJobMayBeLargerThanALevelOfTheFabric) {
  const ProgramRun r = moesim_run({"train", "deepseek-v3-256xgb200", "--gpus", "512", "--global-batch-size", "4096"});
  EXPECT_EQ(r.status, 0) << r.err;
}

TEST(Train, ComparingAScenarioWithItselfFindsNoDifference) {
  const ProgramRun r = moesim_run({"compare", "first-moe-8xh100", "first-moe-8xh100"});
  EXPECT_EQ(r.status, 0) << r.err;
  const ProgramRun two = moesim_run({"compare", "first-moe-8xh100", "first-moe-dense-twin-8xh100"});
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_NE(r.out, two.out);
  for (const char* name : {"first-moe-8xh100", "first-moe-dense-twin-8xh100"}) EXPECT_THAT(two.out, HasSubstr(name));
}

}  // namespace
}  // namespace moesim
