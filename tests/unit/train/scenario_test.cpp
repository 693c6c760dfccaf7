#include "train/scenario.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/reader.h"

namespace moesim {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const fs::path kData = MOESIM_SOURCE_DIR;

TrainScenario read(const Document& doc) { return read_train_scenario(doc, kData); }
TrainScenario read(const std::string& text) { return read(Document::parse(text, "a.json")); }

// tp 2, pp 2, ep 4, etp 1 on 16 GPUs: dp = 16 / (2 * 2) = 4, edp = 16 / (4 * 2) = 2.
Document small() {
  return Document::parse(R"({ "kind": "train", "name": "small", "model": "mixtral-8x7b", "hardware": "dgx-h100", "gpus": 16,
    "parallel": { "tp": 2, "pp": 2, "ep": 4, "etp": 1 },
    "batch": { "seq_length": 4096, "micro_batch_size": 1, "global_batch_size": 64 } })",
                         "a.json");
}

std::string error_of(const Document& doc) {
  try {
    read(doc);
  } catch (const InputError& e) { return e.what(); }
  return "accepted";
}

/// The error of small() after "path=value" assignments.
std::string error_with(std::initializer_list<const char*> assignments) {
  Document doc = small();
  for (const char* a : assignments) doc = doc.with(a);
  return error_of(doc);
}

TEST(TrainScenario, ResolvesSizesAndMicroBatches) {
  const TrainScenario s = read(small());
  EXPECT_EQ(s.name, "small");
  EXPECT_EQ(s.model.num_layers(), 32);
  EXPECT_EQ(s.parallel.etp, 1);
  EXPECT_EQ(s.num_micro_batches, 16);  // 64 / (dp 4 * 1)
  EXPECT_EQ(s.schedule, "1f1b");
  EXPECT_TRUE(s.sequence_parallel);
  EXPECT_TRUE(s.distributed_optimizer);
  EXPECT_FALSE(s.overlap.p2p);
  EXPECT_EQ(s.stages.chunk(1, 0).first_layer, 16);
}

TEST(TrainScenario, ListsEveryChoiceItMade) {
  const TrainScenario s = read(R"({ "kind": "train", "model": "qwen3-30b-a3b", "hardware": "dgx-h100", "gpus": 16 })");
  EXPECT_THAT(s.defaults, ElementsAre("stack = megatron-core-2026.04", "parallel.tp = 1", "parallel.pp = 1", "parallel.ep = 1",
                                      "parallel.etp = 1", "parallel.order = tp-cp-ep-dp-pp", "parallel.vpp = 1",
                                      "parallel.sequence_parallel = false", "parallel.schedule = 1f1b", "batch.seq_length = 4096",
                                      "batch.micro_batch_size = 1", "batch.global_batch_size = 128", "precision.compute = bf16",
                                      "precision.grad_reduce = fp32", "precision.param_gather = bf16", "precision.dispatch = bf16",
                                      "moe.load.law = multinomial", "moe.dispatcher = alltoall", "overlap.grad_reduce = false",
                                      "overlap.param_gather = false", "overlap.p2p = false", "optimizer.distributed = true",
                                      "optimizer.moments = fp32", "recompute.granularity = none", "seed = 0"));
  EXPECT_EQ(s.num_micro_batches, 8);  // 8 micro-batches a stage unless given: 8 * pp 1; 128 = 8 * dp 16
  EXPECT_EQ(s.name, "a");
}

TEST(TrainScenario, ADenseModelHasNoExpertSettings) {
  const TrainScenario s =
      read(R"({ "kind": "train", "model": "llama-3-70b", "hardware": "dgx-h100", "gpus": 64, "parallel": { "tp": 8 } })");
  for (const std::string& line : s.defaults)
    EXPECT_THAT(line, testing::Not(testing::AnyOf(HasSubstr("moe."), HasSubstr("etp"), HasSubstr("dispatch"))));
  EXPECT_THAT(s.resolved, testing::Not(HasSubstr("\"moe\"")));
}

TEST(TrainScenario, ChunksChooseTheInterleavedSchedule) {
  const TrainScenario s = read(small().with("parallel.vpp=4"));
  EXPECT_EQ(s.schedule, "interleaved_1f1b");
  EXPECT_TRUE(s.overlap.p2p);
  EXPECT_THAT(s.defaults, Contains("parallel.schedule = interleaved_1f1b"));
}

TEST(TrainScenario, AMegatronLayoutImpliesTheNumberOfChunks) {
  // 4 chunks on 2 stages: vpp 2. Chunk c of stage r is part 2c + r: stage 0 holds parts 0 and 2.
  const TrainScenario s = read(small().with("parallel.pipeline_layout=Et*7|t*9|t*9|t*7L"));
  EXPECT_EQ(s.parallel.vpp, 2);
  EXPECT_EQ(s.stages.chunk(0, 0).num_layers, 7);
  EXPECT_EQ(s.stages.chunk(0, 1).num_layers, 9);
  EXPECT_TRUE(s.stages.chunk(1, 1).loss);
  EXPECT_THAT(s.warnings, Contains(StartsWith("32 layers on 4 chunks are uneven: stages hold 16 to 16 layers, ")));
}

TEST(TrainScenario, ReadsEverySetting) {
  TrainScenario s = read(small()
                             .with("precision.compute=fp8")
                             .with("precision.dispatch=fp8")
                             .with("precision.grad_reduce=bf16")
                             .with("moe.load.law=zipf")
                             .with("moe.load.exponent=0.7")
                             .with("moe.dispatcher=deepep")
                             .with("moe.capacity_factor=1.25")
                             .with("moe.pad_to_capacity=true")
                             .with("overlap.grad_reduce=true")
                             .with("overlap.param_gather=true")
                             .with("overlap.expert_parallel=false")
                             .with(R"(recompute={"granularity": "selective", "modules": ["moe_act", "layernorm"]})")
                             .with(R"(perturb={"gpu_speed": {"3": 0.9, "_why": "a hot GPU"}, "nic_speed": {"0": 0.5}})")
                             .with("seed=17"));
  EXPECT_EQ(s.precision.compute, DType::fp8);
  EXPECT_EQ(s.precision.dispatch, DType::fp8);
  EXPECT_EQ(s.precision.grad_reduce, DType::bf16);
  EXPECT_EQ(s.moe.load_law, "zipf");
  EXPECT_EQ(s.moe.load.exponent, 0.7);
  EXPECT_EQ(s.moe.dispatcher, "deepep");
  EXPECT_EQ(s.moe.capacity.factor, 1.25);
  EXPECT_TRUE(s.moe.capacity.pad);
  EXPECT_TRUE(s.overlap.grad_reduce && s.overlap.param_gather);
  EXPECT_EQ(s.recompute.granularity, RecomputeGranularity::selective);
  EXPECT_TRUE(s.recompute.moe_act && s.recompute.layernorm);
  EXPECT_FALSE(s.recompute.core_attn || s.recompute.moe);
  EXPECT_THAT(s.gpu_speed, ElementsAre(testing::Pair(3, 0.9)));
  EXPECT_THAT(s.nic_speed, ElementsAre(testing::Pair(0, 0.5)));
  EXPECT_EQ(s.seed, 17u);
}

TEST(TrainScenario, SelectiveRecomputeAloneMeansTheAttentionCore) {
  const TrainScenario s = read(small().with("recompute.granularity=selective"));
  EXPECT_TRUE(s.recompute.core_attn);
  EXPECT_THAT(s.defaults, Contains(R"(recompute.modules = ["core_attn"])"));
}

// Reading the resolved text again gives the same scenario and nothing is left to choose.
TEST(TrainScenario, ResolvedTextReproducesItself) {
  std::vector<Document> all{small(),
                            small().with("parallel.vpp=4").with("moe.load.law=zipf").with("recompute.granularity=selective"),
                            small().with(R"(perturb={"gpu_speed": {"3": 0.9}})").with("moe.capacity_factor=1")};
  for (const fs::directory_entry& e : fs::directory_iterator(kData / "scenarios/train")) all.push_back(Document::load(e.path()));
  for (const Document& doc : all) {
    const TrainScenario once = read(doc);
    const TrainScenario twice = read(Document::parse(once.resolved, "resolved.json"));
    EXPECT_EQ(twice.resolved, once.resolved) << doc.name();
    EXPECT_THAT(twice.defaults, IsEmpty()) << doc.name();
    EXPECT_EQ(twice.warnings, once.warnings) << doc.name();
    EXPECT_EQ(twice.stages, once.stages) << doc.name();
    EXPECT_EQ(twice.num_micro_batches, once.num_micro_batches) << doc.name();
    EXPECT_EQ(twice.gpu_speed, once.gpu_speed) << doc.name();
    EXPECT_EQ(twice.name, once.name) << doc.name();
  }
}

TEST(TrainScenario, ShippedScenariosSayWhatTheyAreAndWhereTheyComeFrom) {
  std::size_t count = 0;
  for (const fs::directory_entry& e : fs::directory_iterator(kData / "scenarios/train")) {
    const Document doc = Document::load(e.path());
    EXPECT_TRUE(doc.root().find_text("description").has_value()) << e.path();
    EXPECT_TRUE(doc.root().find_text("_source").has_value()) << e.path();
    EXPECT_EQ(read(doc).name, e.path().stem().string());
    ++count;
  }
  EXPECT_GE(count, 10u);
}

TEST(TrainScenario, ModelAndHardwareMayStandInside) {
  const TrainScenario s = read(small()
                                   .with(R"(model={"extends": "mixtral-8x7b", "num_hidden_layers": 4})")
                                   .with(R"(hardware={"extends": "dgx-h100", "gpu": {"usable_memory": 0.5}})"));
  EXPECT_EQ(s.model.num_layers(), 4);
  EXPECT_EQ(s.hardware.gpu.usable_memory.value, 0.5);
  EXPECT_EQ(s.hardware.gpu.usable_memory.grade, Grade::user);
}

// What `moesim train --model NAME --hw NAME --gpus N --tp 2` builds.
TEST(TrainScenario, CanBeBuiltFromFlags) {
  const Document none = Document::parse(R"({ "kind": "train" })", "command line");
  const Document doc = none.with("model=qwen3-30b-a3b").with("hardware=dgx-h100").with("gpus=16").with("parallel.ep=16");
  const TrainScenario s = read(doc);
  EXPECT_EQ(s.name, "command line");
  EXPECT_EQ(s.parallel.ep, 16);
  EXPECT_EQ(error_of(none), "command line: model: missing");
  EXPECT_EQ(error_of(doc.with("parallel.ep=5")),
            "command line: parallel: gpus 16 is not divisible by etp * ep * pp = 1 * 5 * 1 = 5");
}

class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(fs::temp_directory_path() / ("moesim-scenario-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

TEST(TrainScenario, PathsAreRelativeToTheScenariosFolder) {
  TemporaryFolder folder;
  folder.write("mine.json", R"({ "extends": "mixtral-8x7b", "num_hidden_layers": 8 })");
  const fs::path file = folder.write("a.json", R"({ "kind": "train", "model": "mine.json", "hardware": "dgx-h100", "gpus": 8 })");
  const TrainScenario s = read(Document::load(file));
  EXPECT_EQ(s.model.num_layers(), 8);
  EXPECT_EQ(read(Document::parse(s.resolved, "elsewhere/b.json")).model.num_layers(), 8);
}

TEST(TrainScenario, WarnsWhereMegatronUsersGoWrong) {
  const TrainScenario s = read(R"({ "kind": "train", "model": "qwen3-30b-a3b", "hardware": "dgx-h100", "gpus": 64,
    "parallel": { "tp": 4, "pp": 4, "ep": 4 }, "batch": { "global_batch_size": 12 } })");
  EXPECT_THAT(s.warnings, Contains("3 micro-batches on 4 stages never fill the pipeline"));
  EXPECT_THAT(s.warnings,
              Contains("parallel.etp 4 (tp unless given, as in Megatron) cuts the experts to 192 columns a rank; etp 1 is usual "
                       "for fine-grained experts"));
  EXPECT_THAT(s.warnings,
              Contains("expert-parallel groups span 2 scale-up domains of 8 GPUs with the alltoall dispatcher, which sends a "
                       "token once for each of its experts across the network"));
}

TEST(TrainScenario, WarnsWhereExpertGroupsStraddleNvlinkDomainsThatCouldHoldThem) {
  const std::string straddles = "expert-parallel groups of 64 straddle scale-up domains of 72 GPUs; a job that takes 64 GPUs of each "
                                "(hardware.scale_up.domain) keeps their exchange inside";
  const auto warnings = [](const std::string& hardware) {
    return read(R"({ "kind": "train", "model": "qwen3-30b-a3b", "gpus": 128, "parallel": { "ep": 64 }, "hardware": )" + hardware + "}").warnings;
  };
  EXPECT_THAT(warnings(R"("gb200-nvl72")"), Contains(straddles));
  EXPECT_THAT(warnings(R"({ "extends": "gb200-nvl72", "scale_up": { "domain": 64 } })"), IsEmpty());
}

TEST(TrainScenario, SaysWhichSettingsHaveNoEffectAndWhy) {
  const auto warnings = [](const std::string& rest) {
    return read(R"({ "kind": "train", "model": "mixtral-8x7b", "hardware": "dgx-h100", )" + rest + "}").warnings;
  };
  EXPECT_THAT(warnings(R"("gpus": 8, "parallel": {"ep": 8, "sequence_parallel": true})"),
              ElementsAre("parallel.sequence_parallel has no effect: with tp 1 there is nothing to share"));
  EXPECT_THAT(warnings(R"("gpus": 1, "overlap": {"grad_reduce": true}, "optimizer": {"distributed": false})"),
              ElementsAre("overlap.grad_reduce has no effect: with dp 1 no gradients or parameters are exchanged",
                          "optimizer.distributed has no effect: with dp 1 there is nothing to distribute"));
  EXPECT_THAT(warnings(R"("gpus": 8, "seed": 3, "moe": {"load": {"law": "balanced"}, "capacity_factor": 1})"),
              ElementsAre("moe.capacity_factor drops no token: balanced load gives each expert the same", "seed has no effect: nothing is drawn at random"));
  EXPECT_THAT(warnings(R"("gpus": 8, "moe": {"capacity_factor": 4})"),
              ElementsAre("moe.capacity_factor drops no token: from num_experts / top_k = 4.00 on there is room for all at every expert"));
  EXPECT_THAT(warnings(R"("gpus": 8, "moe": {"capacity_factor": 3.9})"), IsEmpty());
  EXPECT_THAT(warnings(R"("gpus": 8, "perturb": {"nic_speed": {"0": 0.5}})"),
              ElementsAre("perturb.nic_speed has no effect: all 8 GPUs are in one scale-up domain of 8"));
}

TEST(TrainScenario, ModelAndMachineInsideAreCalledAfterWhatTheyChange) {
  const TrainScenario s = read(small()
                                   .with(R"(model={"extends": "mixtral-8x7b", "num_hidden_layers": 4})")
                                   .with(R"(hardware={"extends": "dgx-h100", "gpu": {"usable_memory": 0.5}})")
                                   .with(R"(stack={"extends": "megatron-core-2026.04", "name": "mine", "host_sync": "1 us"})"));
  EXPECT_EQ(s.model.name, "mixtral-8x7b, changed");
  EXPECT_EQ(s.hardware.name, "dgx-h100, changed");
  EXPECT_EQ(s.stack.name, "mine");
  EXPECT_EQ(s.stack.host_sync.value, kMicrosecond);
}

TEST(TrainScenario, KnowsEveryFileThatItRead) {
  std::vector<std::string> names;
  for (const fs::path& f : read(small().with(R"(hardware={"extends": "h20"})")).files) names.push_back(f.filename().string());
  EXPECT_THAT(names, ElementsAre("a.json", "mixtral-8x7b.json", "a.json: hardware", "h20.json", "dgx-h100.json", "megatron-core-2026.04.json"));
}

TEST(TrainScenario, AnUnremarkableScenarioHasNoWarnings) { EXPECT_THAT(read(small()).warnings, IsEmpty()); }

TEST(TrainScenarioErrors, NameTheKeyTheValueAndWhatIsAllowed) {
  EXPECT_EQ(error_with({"kind=serve"}), "a.json: kind: found \"serve\", allowed is \"train\"");
  EXPECT_EQ(error_with({"batch.global_batch_size=62"}),
            "a.json: batch.global_batch_size: found 62, allowed is a multiple of dp * micro_batch_size = 4 * 1 = 4");
  EXPECT_EQ(error_with({"parallel.ep=3"}), "a.json: parallel: gpus 16 is not divisible by etp * ep * pp = 1 * 3 * 2 = 6");
  EXPECT_EQ(error_with({"parallel.schedule=1f1bb"}),
            "a.json: parallel.schedule: found \"1f1bb\", allowed is a schedule: 1f1b, interleaved_1f1b; did you mean \"1f1b\"?");
  EXPECT_EQ(error_with({"parallel.vpp=4", "parallel.schedule=1f1b"}),
            "a.json: parallel.schedule: 1f1b runs one model chunk a stage, found vpp 4; use interleaved_1f1b");
  EXPECT_EQ(error_with({"parallel.schedule=interleaved_1f1b"}),
            "a.json: parallel.schedule: interleaved_1f1b needs two or more model chunks a stage, found vpp 1; use 1f1b");
  EXPECT_EQ(error_with({"parallel.vpp=4", "batch.global_batch_size=20"}),
            "a.json: parallel.schedule: interleaved_1f1b needs a multiple of pp micro-batches a step, found 5 micro-batches, pp 2: "
            "the last "
            "group of 1 would leave dependency bubbles");
  EXPECT_EQ(error_with({"batch.seq_length=4097"}),
            "a.json: batch.seq_length: found 4097, allowed is a multiple of cp * tp = 1 * 2 = 2");
}

TEST(TrainScenarioErrors, RefuseWhatIsNotSimulated) {
  EXPECT_EQ(error_with({"parallel.cp=2"}), "a.json: parallel.cp: found 2, allowed is 1: context parallelism is not simulated yet");
  EXPECT_EQ(
      error_with({"overlap.expert_parallel=true"}),
      "a.json: overlap.expert_parallel: found true, allowed is false: hiding the expert exchange behind another micro-batch is not "
      "simulated yet");
  EXPECT_EQ(error_with({"overlap.p2p=true"}),
            "a.json: overlap.p2p: found true, allowed is false: 1f1b does not post messages ahead of need");
  EXPECT_EQ(error_with({"offload.optimizer=true"}), "a.json: offload: unknown key");
  EXPECT_EQ(error_with({"overlap.tp=true", "parallel.tp=1"}), "a.json: overlap.tp: found true, allowed is false: with tp 1 nothing is exchanged");
  EXPECT_EQ(error_with({"overlap.cuda_graphs=true"}), "a.json: overlap.cuda_graphs: unknown key");
  EXPECT_EQ(error_with({"recompute.num_layers=2"}), "a.json: recompute.num_layers: unknown key");
}

TEST(TrainScenarioErrors, RefuseSettingsThatContradictEachOther) {
  EXPECT_EQ(error_with({"overlap.param_gather=true"}),
            "a.json: overlap.param_gather: found true, allowed is false: it needs overlap.grad_reduce");
  EXPECT_EQ(
      error_with({"overlap.param_gather=true", "overlap.grad_reduce=true", "optimizer.distributed=false"}),
      "a.json: overlap.param_gather: found true, allowed is false: without the distributed optimizer no parameters are gathered");
  EXPECT_EQ(
      error_with({"precision.param_gather=fp8"}),
      "a.json: precision.param_gather: found \"fp8\", allowed is \"bf16\": compute is bf16, so the weights are not kept in fp8");
  EXPECT_EQ(error_with({"hardware=dgx-a100", "precision.compute=fp8"}),
            "a.json: precision.compute: found \"fp8\", but dgx-a100 has a peak for fp32, bf16 only");
  EXPECT_EQ(error_with({"parallel.sequence_parallel=false"}),
            "a.json: parallel.tp: found 2 without sequence parallelism, allowed is 1: training a MoE model with tp > 1 needs "
            "sequence_parallel");
  EXPECT_EQ(error_with({"moe.pad_to_capacity=true"}),
            "a.json: moe.pad_to_capacity: found true, but there is no capacity_factor to pad to");
  EXPECT_EQ(error_with({"moe.load.exponent=1"}), "a.json: moe.load.exponent: only with law zipf, found multinomial");
  EXPECT_EQ(error_with({"recompute.granularity=full", R"(recompute.modules=["moe"])"}),
            "a.json: recompute.modules: only with granularity selective, found full");
  EXPECT_EQ(error_with({"recompute.granularity=selective", R"(recompute.modules=["mla_up_proj"])"}),
            "a.json: recompute.modules: found \"mla_up_proj\", but mixtral-8x7b has no multi-latent attention");
  EXPECT_EQ(error_with({"recompute.granularity=selective", R"(recompute.modules=["moe_akt"])"}),
            "a.json: recompute.modules: found \"moe_akt\", allowed are core_attn, layernorm, mla_up_proj, mlp, moe, moe_act, "
            "shared_experts; did you mean \"moe_act\"?");
}

TEST(TrainScenarioErrors, ADenseModelRefusesExpertSettings) {
  const Document dense =
      Document::parse(R"({ "kind": "train", "model": "llama-3-70b", "hardware": "dgx-h100", "gpus": 64 })", "a.json");
  EXPECT_EQ(error_of(dense.with("moe.dispatcher=deepep")), "a.json: moe: only with a MoE model, found llama-3-70b");
  EXPECT_EQ(error_of(dense.with("precision.dispatch=fp8")), "a.json: precision.dispatch: only with a MoE model, found llama-3-70b");
  EXPECT_EQ(error_of(dense.with("parallel.ep=2")), "a.json: parallel.ep: found 2, allowed is 1: the model has no experts");
  EXPECT_EQ(error_of(dense.with("parallel.etp=2")), "a.json: parallel.etp: found 2, allowed is 1: the model has no experts");
}

TEST(TrainScenarioErrors, PerturbedRanksMustExist) {
  for (const char* rank : {"16", "-1", "03", "x", "99999999999999999999"})
    EXPECT_EQ(error_with({(R"(perturb={"gpu_speed": {")" + std::string(rank) + R"(": 0.9}})").c_str()}),
              "a.json: perturb.gpu_speed." + std::string(rank) + ": found rank \"" + rank + "\", allowed is 0 to 15");
}

TEST(TrainScenarioErrors, MisspeltSectionsComeBeforeWhatTheirDefaultsBreak) {
  EXPECT_EQ(error_with({"paralel.tp=2"}), "a.json: paralel: unknown key; did you mean \"parallel\"?");
}

std::string without_source_folder(std::string text) {
  const std::string prefix = std::string(MOESIM_SOURCE_DIR) + "/";
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

std::string file_text(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

// tests/config/bad: NAME.json is refused with the one line in NAME.txt (paths relative to the source folder).
TEST(TrainScenarioErrors, BadFilesAreRefusedWithTheirExactText) {
  std::size_t count = 0;
  for (const fs::directory_entry& e : fs::directory_iterator(kData / "tests/config/bad")) {
    if (e.path().extension() != ".json") continue;
    ++count;
    std::string found = "accepted";
    try {
      read(Document::load(e.path()));
    } catch (const InputError& error) { found = error.what(); }
    EXPECT_EQ(without_source_folder(found) + "\n", file_text(fs::path(e.path()).replace_extension(".txt"))) << e.path();
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 0) << e.path();
  }
  EXPECT_GE(count, 20u);
}

TEST(TrainScenarioErrors, DeepNestingOfTenMegabytesIsOneLine) {
  std::string text;
  for (int i = 0; i < 1'250'000; ++i) text += "{\"a\": [ ";
  const std::string error = [&] {
    try {
      read(text);
    } catch (const InputError& e) { return std::string(e.what()); }
    return std::string("accepted");
  }();
  EXPECT_THAT(error, AllOf(StartsWith("a.json"), HasSubstr("64"), testing::Not(HasSubstr("\n"))));
}

TEST(TrainScenarioErrors, UnreadableFilesAreInputErrors) {
  EXPECT_THROW(Document::load(kData / "scenarios"), InputError);
  EXPECT_THROW(Document::load(kData / "no such file.json"), InputError);
}

}  // namespace
}  // namespace moesim
