// No knob turns in silence: a setting that is changed is refused, or changes a figure, or a warning says that it has no effect and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "property/fingerprint.h"

namespace moesim {
namespace {

const std::filesystem::path kData = MOESIM_SOURCE_DIR;

std::vector<std::string> bases() {
  const std::string moe = R"("model": {"extends": "qwen3-30b-a3b", "num_hidden_layers": 4}, )", dense = R"("model": {"extends": "llama-3-8b", "num_hidden_layers": 4}, )";
  const auto scenario = [](const std::string& rest) { return R"({"kind": "train", "hardware": {"extends": "dgx-h100"}, "stack": {"extends": "megatron-core-2026.04"}, "batch": {"seq_length": 1024}, )" + rest + "}"; };
  return {
      scenario(dense + R"("gpus": 1)"),
      scenario(dense + R"("gpus": 4, "parallel": {"tp": 4})"),
      scenario(dense + R"("gpus": 2, "parallel": {"pp": 2})"),
      scenario(dense + R"("gpus": 16, "parallel": {"tp": 2})"),
      scenario(moe + R"("gpus": 1)"),
      scenario(R"("model": {"extends": "deepseek-v2-lite", "num_hidden_layers": 4}, "gpus": 4, "parallel": {"ep": 4})"),
      scenario(moe + R"("gpus": 1, "moe": {"load": {"law": "balanced"}})"),
      scenario(moe + R"("gpus": 8, "parallel": {"ep": 8})"),
      scenario(moe + R"("gpus": 16, "parallel": {"ep": 4}, "moe": {"load": {"law": "balanced"}})"),
      scenario(moe + R"("gpus": 32, "parallel": {"tp": 2, "pp": 2, "ep": 16, "etp": 1})"),
      scenario(moe + R"("gpus": 8, "parallel": {"tp": 2, "pp": 2, "vpp": 2, "ep": 2}, "recompute": {"granularity": "selective", "modules": ["moe"]})"),
  };
}

/// Values that differ from the default of every base.
const std::vector<std::pair<std::string, std::string>> kChanges{
    {"parallel.sequence_parallel", "true"},
    {"parallel.sequence_parallel", "false"},
    {"batch.micro_batch_size", "2"},
    {"batch.seq_length", "2048"},
    {"precision.compute", "fp8"},
    {"precision.grad_reduce", "bf16"},
    {"precision.dispatch", "fp8"},
    {"moe.load.law", "balanced"},
    {"moe.load.law", "zipf"},
    {"moe.load.exponent", "0.5"},
    {"moe.dispatcher", "deepep"},
    {"moe.dispatcher", "allgather"},
    {"moe.capacity_factor", "1"},
    {"moe.capacity_factor", "1.01"},
    {"moe.capacity_factor", "16"},
    {"moe.pad_to_capacity", "true"},
    {"overlap.grad_reduce", "true"},
    {"overlap", R"({"grad_reduce": true, "param_gather": true})"},
    {"overlap.p2p", "true"},
    {"overlap.p2p", "false"},
    {"overlap.tp", "true"},
    {"optimizer.distributed", "false"},
    {"optimizer.moments", "bf16"},
    {"recompute.granularity", "full"},
    {"recompute", R"({"granularity": "selective", "modules": ["core_attn"]})"},
    {"recompute", R"({"granularity": "selective", "modules": ["layernorm"]})"},
    {"recompute", R"({"granularity": "selective", "modules": ["mlp"]})"},
    {"recompute", R"({"granularity": "selective", "modules": ["moe", "moe_act"]})"},
    {"recompute", R"({"granularity": "selective", "modules": ["shared_experts"]})"},
    {"recompute", R"({"granularity": "selective", "modules": ["mla_up_proj"]})"},
    {"recompute.modules", R"(["moe"])"},
    {"seed", "7"},
    {"perturb.gpu_speed.0", "0.5"},
    {"perturb.nic_speed.0", "0.5"},
    {"moe.dispatcher_sms", "8"},
    {"moe", R"({"dispatcher": "hybridep", "dispatcher_sms": 8})"},
    {"stack.cuda_graph_moe_router", "true"},
    {"stack.p2p_sms", "12"},
    {"stack.collective_sms", "8"},
    {"stack.network_sms", "12"},
    {"stack.tp_overlap_sms", "4"},
    {"hardware.scale_out.topology.flows_per_gpu", "4"},
    {"hardware.scale_out.topology.groups", "4"},
    {"hardware.scale_out.topology.global_links_per_group_pair", "4"},
};

/// Whether a warning says of the setting, or of what stands in it, that it has no effect.
bool is_noted(const TrainScenario& s, const std::string& path) {
  return std::any_of(s.warnings.begin(), s.warnings.end(), [&](const std::string& w) {
    const std::size_t at = w.find(" has no effect: ");
    return at != std::string::npos && (path.starts_with(w.substr(0, at)) || w.starts_with(path) || (path.starts_with("hardware.") && w.substr(0, at).ends_with(path.substr(9))));
  });
}

TEST(Settings, AreRefusedOrChangeSomethingOrSayThatTheyDoNot) {
  for (const std::string& text : bases()) {
    const Document base = Document::parse(text, "a.json");
    const TrainScenario plain = read_train_scenario(base, kData);
    const std::string before = test::fingerprint(plain);
    for (const auto& [path, value] : kChanges) {
      try {
        const TrainScenario s = read_train_scenario(base.with(path + "=" + value), kData);
        if (s.resolved == plain.resolved || is_noted(s, path)) continue;  // it says what holds anyway
        EXPECT_NE(test::fingerprint(s), before) << path << " = " << value << " changes nothing and nobody says so, in " << text;
      } catch (const InputError&) {}
    }
  }
}

// The other way round: what is said to have no effect has none.
TEST(Settings, ThatAreSaidToHaveNoEffectHaveNone) {
  std::size_t noted = 0;
  for (const std::string& text : bases()) {
    const Document base = Document::parse(text, "a.json");
    const std::string before = test::fingerprint(read_train_scenario(base, kData));
    for (const auto& [path, value] : kChanges) {
      try {
        const TrainScenario s = read_train_scenario(base.with(path + "=" + value), kData);
        if (!is_noted(s, path) || path == "recompute" || path == "moe") continue;
        ++noted;
        EXPECT_EQ(test::fingerprint(s), before) << path << " = " << value << " in " << text;
      } catch (const InputError&) {}
    }
  }
  EXPECT_GE(noted, 15u);
}

TEST(Settings, RecomputingAPartOfWhatIsRecomputedChangesNothing) {
  const auto shown = [](const std::string& modules) {
    const Document base = Document::parse(bases()[6], "a.json");
    return test::fingerprint(read_train_scenario(base.with("recompute={\"granularity\": \"selective\", \"modules\": " + modules + "}"), kData));
  };
  EXPECT_EQ(shown(R"(["moe", "moe_act"])"), shown(R"(["moe"])"));
  EXPECT_NE(shown(R"(["moe_act"])"), shown(R"(["moe"])"));
}

}  // namespace
}  // namespace moesim
